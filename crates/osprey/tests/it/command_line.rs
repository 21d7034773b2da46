//! The command line's contract on the small mirror: what scripts depend on.

use serde_json::{Value, json};

use crate::project::{Project, fails_with, osprey, repository};

const TOPIC: &str = "[topic]\ntags = [\"birds\"]\n[judge]\nkind = \"tags\"\n";

#[test]
fn a_crawl_reports_what_it_did() {
    let project = Project::harbour(TOPIC);
    let report = project.json("crawl", &[]);
    assert_eq!(report["stopped_by"], "empty");
    assert_eq!(report["frontier"], 0);
    let rows = project.rows("visits");
    assert_eq!(report["visited"], rows.len());
    let relevant = rows.iter().filter(|row| row["relevant"] == true).count();
    assert!(relevant > 5, "{report}");
    assert_eq!(report["relevant"], relevant);
    let ratio = relevant as f64 / rows.len() as f64;
    assert!((report["harvest_ratio"].as_f64().unwrap() - ratio).abs() < 1e-9);
    assert!(report["seconds"].as_f64().unwrap() > 0.0);
    // the mirror has a dead link, a link to another site, and a folder that robots.txt closes
    assert_eq!(report["failed"], rows.iter().filter(|row| row["status"].as_u64().unwrap() >= 400).count());
    assert_eq!(report["skipped"]["scope"], 1);
    assert_eq!(report["skipped"]["robots"], 18);
    assert!(report["skipped"]["scheme"].as_u64().unwrap() > 0);
}

#[test]
fn visits_come_in_order_with_the_fields_of_the_contract() {
    let project = Project::harbour(TOPIC);
    project.json("crawl", &[]);
    let rows = project.rows("visits");
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row["n"], i + 1);
        for field in [
            "url",
            "final_url",
            "status",
            "fetched_at",
            "bytes",
            "media_type",
            "digest",
            "page_type",
            "cluster",
            "relevance",
            "relevant",
            "score",
            "policy",
            "parent",
            "depth",
            "apath",
            "why",
        ] {
            assert!(row.get(field).is_some(), "row {i} has no `{field}`: {row}");
        }
    }
    assert_eq!(rows[0]["url"], "http://harbour.example/");
    assert_eq!(rows[0]["parent"], Value::Null);
    assert_eq!(rows[1]["depth"], 1);
    assert!(rows[0]["digest"].as_str().unwrap().starts_with("sha256:"));
    let urls: std::collections::BTreeSet<_> = rows.iter().map(|row| row["url"].as_str().unwrap()).collect();
    assert_eq!(urls.len(), rows.len(), "a URL was visited twice");
    assert!(urls.contains("http://harbour.example/?page=3"), "pages of a list are not missed");
    // tracking parameters are dropped, and the exact copy of a page is seen as one
    assert!(urls.iter().all(|url| !url.contains("utm_")));
    let copy = rows.iter().find(|row| row["duplicate_of"] != Value::Null).unwrap();
    assert_eq!(copy["url"], "http://harbour.example/old/welcome.html");
    assert_eq!(copy["duplicate_of"], "http://harbour.example/about.html");
    assert!(
        rows.iter().any(|row| row["near_duplicate_of"] != Value::Null),
        "calendar pages repeat each other"
    );
    let chinese = rows.iter().find(|row| row["url"] == "http://harbour.example/zh/").unwrap();
    assert_eq!(chinese["title"], "鸟类 - 港口图片");
}

#[test]
fn breadth_first_goes_by_depth() {
    let project = Project::harbour("");
    project.json("crawl", &[]);
    let depths: Vec<u64> = project.rows("visits").iter().map(|row| row["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted() && depths.last() > Some(&1), "{depths:?}");
}

/// The judge `terms` and the policy `best-first` measure the same similarity, so a link's score is what the judge
/// said of the page it was found on.
#[test]
fn best_first_scores_a_link_by_its_page() {
    let project = Project::harbour(
        "[policy]\nkind = \"best-first\"\n[topic]\ntags = [\"birds\"]\ncontent_terms = [\"wing\", \"beak\", \"nest\"]\n\
         [judge]\nkind = \"terms\"\n",
    );
    project.json("crawl", &[]);
    let rows = project.rows("visits");
    let relevance: std::collections::HashMap<&str, f64> = rows
        .iter()
        .map(|row| (row["url"].as_str().unwrap(), row["relevance"].as_f64().unwrap_or(0.0)))
        .collect();
    let mut above_zero = 0;
    for row in rows.iter().filter(|row| row["parent"] != Value::Null) {
        let (score, page) = (row["score"].as_f64().unwrap(), row["why"]["page"].as_f64().unwrap());
        assert_eq!(score, page, "{row}");
        assert_eq!(page, relevance[row["parent"].as_str().unwrap()], "{row}");
        above_zero += usize::from(score > 0.0);
    }
    assert!(above_zero > 10, "{above_zero}");
}

#[test]
fn a_budget_stops_and_the_next_run_goes_on() {
    let whole = Project::harbour("");
    whole.json("crawl", &[]);
    let parts = Project::harbour("");
    let first = parts.json("crawl", &["--budget", "10"]);
    assert_eq!((&first["visited"], &first["stopped_by"]), (&json!(10), &json!("budget")));
    let second = parts.json("crawl", &["--budget", "10"]);
    assert_eq!((&second["visited"], &second["stopped_by"]), (&json!(10), &json!("budget")));
    let status = parts.json("status", &[]);
    assert_eq!(status["visited"], 10);
    assert_eq!(status["running"], false);
    assert!(status["frontier"]["waiting"].as_u64().unwrap() > 0);
    parts.json("crawl", &[]);
    assert_eq!(parts.visited(), whole.visited());
}

#[test]
fn depth_and_host_budgets_hold() {
    let shallow = Project::harbour("");
    let toml = shallow.path().join("osprey.toml");
    let text = std::fs::read_to_string(&toml).unwrap().replace("[source]", "max_depth = 1\n[source]");
    std::fs::write(&toml, text).unwrap();
    let report = shallow.json("crawl", &[]);
    assert!(report["skipped"]["depth"].as_u64().unwrap() > 0);
    assert!(shallow.rows("visits").iter().all(|row| row["depth"].as_u64().unwrap() <= 1));

    let text = std::fs::read_to_string(&toml).unwrap().replace("max_depth = 1", "host_budget_pages = 7");
    let limited = Project::new(&text);
    assert_eq!(limited.json("crawl", &[])["visited"], 7);
}

#[test]
fn explain_tells_fetched_waiting_skipped_and_unknown_urls_apart() {
    let project = Project::harbour(TOPIC);
    project.json("crawl", &["--budget", "30"]);
    let check = |path: &str, state: &str, words: &str| {
        let url =
            if path.starts_with("http") { path.to_owned() } else { format!("http://harbour.example{path}") };
        let told = project.json("explain", &[&url]);
        assert_eq!(told["state"], state, "{told}");
        assert!(told["words"].as_str().unwrap().contains(words), "{told}");
    };
    check("/", "fetched", "a seed");
    check("/about.html", "fetched", "found at depth 1 on http://harbour.example/");
    check("/calendar/2026/1.html", "waiting", "first in, first out");
    check("/missing-from-everything.html", "unknown", "no fetched page links to it");
    check("http://elsewhere.example/", "skipped", "scope");
    check("/a/a/a/a/a/a", "skipped", "repeats itself");
    project.json("crawl", &[]);
    check("/missing.html", "failed", "not in the recording");
    check("/private/report.html?id=101", "skipped", "Disallow: /private/");
    check("/old/welcome.html", "fetched", "repeats http://harbour.example/about.html");
}

#[test]
fn exports_agree_in_all_formats() {
    let project = Project::harbour(TOPIC);
    project.json("crawl", &[]);
    let rows = project.rows("visits").len();
    let csv = project.run("export", &["--what", "visits", "--format", "csv"]).stdout;
    let mut reader = csv::Reader::from_reader(&csv[..]);
    assert_eq!(reader.headers().unwrap().get(0), Some("n"));
    assert_eq!(reader.records().filter(Result::is_ok).count(), rows);
    let file = project.path().join("visits.parquet");
    let told =
        project.json("export", &["--what", "visits", "--format", "parquet", "--out", file.to_str().unwrap()]);
    assert_eq!(told["rows"], rows);
    assert_eq!(&std::fs::read(&file).unwrap()[..4], b"PAR1");
    let wacz = project.path().join("site.wacz");
    project.json("export", &["--what", "warc", "--format", "wacz", "--out", wacz.to_str().unwrap()]);
    assert_eq!(&std::fs::read(&wacz).unwrap()[..2], b"PK");

    let pages = project.rows("pages");
    assert!(pages.iter().any(|page| page["text"].as_str().unwrap().contains("鱼鹰")));
    let links = project.rows("links");
    let thumb = links.iter().find(|link| link["wraps_image"] == true).unwrap();
    assert!(thumb["apath"].as_str().unwrap().ends_with("/a[thumb]"), "{thumb}");
    assert!(project.rows("records").is_empty());

    let output = project.run("export", &["--what", "visits", "--format", "parquet"]);
    assert!(fails_with(&output, 2).contains("--out FILE"));
    let output = project.run("export", &["--what", "visits", "--format", "wacz"]);
    assert!(fails_with(&output, 2).contains("--what warc"));
}

/// What a crawl archived can be crawled again, with the same pages.
#[test]
fn an_archive_replays() {
    let first = Project::harbour("");
    first.json("crawl", &[]);
    let again = Project::new(&format!(
        "[crawl]\nseeds = [\"http://harbour.example/\"]\n[source]\nkind = \"replay\"\npath = \"{}\"\n",
        first.data().join("archive").display()
    ));
    again.json("crawl", &[]);
    assert_eq!(again.visited(), first.visited());
    let digests = |project: &Project| {
        project.rows("visits").iter().map(|row| row["digest"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(digests(&again), digests(&first));
}

#[test]
fn init_writes_a_project_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("new");
    let mirror = repository().join("fixtures/harbour");
    let init = |more: &[&str]| {
        osprey()
            .args([
                "init",
                dir.to_str().unwrap(),
                "--seed",
                "http://harbour.example/",
                "--replay",
                mirror.to_str().unwrap(),
            ])
            .args([
                "--base",
                "http://harbour.example/",
                "--budget",
                "5",
                "--tag",
                "birds",
                "--policy",
                "best-first",
            ])
            .args(more)
            .output()
            .unwrap()
    };
    let output = init(&[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(dir.join("osprey.toml")).unwrap();
    assert!(text.contains("kind = \"best-first\"") && text.contains("# "), "{text}");
    assert!(fails_with(&init(&[]), 2).contains("--force"));
    assert!(init(&["--force"]).status.success());
    let output = osprey().args(["crawl", dir.to_str().unwrap(), "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["visited"], 5);

    let output = osprey()
        .args(["init", folder.path().join("x").to_str().unwrap(), "--seed", "ftp://x/"])
        .output()
        .unwrap();
    assert!(fails_with(&output, 2).contains("`ftp://x/`"));
}

#[test]
fn wrong_configuration_and_usage_exit_with_2_and_name_the_place() {
    let project = Project::harbour("[crawll]\n");
    let text = fails_with(&project.run("crawl", &[]), 2);
    assert!(text.contains("osprey.toml:") && text.contains("did you mean `crawl`?"), "{text}");
    let output = project.run("crawl", &["--json"]);
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(error["error"].as_str().unwrap().contains("crawll"));
    fails_with(&osprey().arg("fly").output().unwrap(), 2);
    let text = fails_with(&osprey().args(["crawl", "no/such/place"]).output().unwrap(), 2);
    assert!(text.contains("osprey init"), "{text}");
    let missing = Project::new(
        "[crawl]\nseeds = [\"http://a.example/\"]\n[source]\nkind = \"replay\"\npath = \"gone.warc.gz\"\n",
    );
    let text = fails_with(&missing.run("crawl", &[]), 2);
    assert!(text.contains("gone.warc.gz"), "{text}");
    let output = missing.run("crawl", &["--budget", "many", "--json"]);
    fails_with(&output, 2);
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(error["error"].as_str().unwrap().contains("many"), "{error}");
    for (toml, word) in [
        ("[policy]\nkind = \"best-first\"\n", "topic"),
        ("[judge]\nkind = \"tags\"\n", "topic.tags"),
        ("[topic]\ntags = [\"x\"]\n[judge]\nkind = \"tags\"\nthreshold = 5.0\n", "from 0 to 1"),
        ("[archive]\nlevel = 11\n", "from 1 to 9"),
    ] {
        let text = fails_with(&Project::harbour(toml).run("crawl", &[]), 2);
        assert!(text.contains(word), "{text}");
    }
    let empty = Project::new("[crawl]\nseeds = []\n");
    assert!(fails_with(&empty.run("crawl", &[]), 2).contains("crawl.seeds"));
}

/// Links that wait are held to the configuration of today.
#[test]
fn a_narrower_scope_holds_for_links_that_wait() {
    let project = Project::harbour("");
    project.json("crawl", &["--budget", "10"]);
    let toml = project.path().join("osprey.toml");
    let text = std::fs::read_to_string(&toml)
        .unwrap()
        .replace("[source]", "deny = [\"/tags/\"]\nmax_depth = 1\n[source]");
    std::fs::write(&toml, text).unwrap();
    let report = project.json("crawl", &[]);
    assert!(
        report["skipped"]["scope"].as_u64().unwrap() > 1 && report["skipped"]["depth"].as_u64().unwrap() > 0,
        "{report}"
    );
    for row in &project.rows("visits")[10..] {
        assert!(
            row["depth"].as_u64().unwrap() <= 1 && !row["url"].as_str().unwrap().contains("/tags/"),
            "{row}"
        );
    }
}

/// A link was scored by the policy of its day; so it is explained.
#[test]
fn explain_speaks_for_the_policy_that_gave_the_score() {
    let project = Project::harbour(TOPIC);
    project.json("crawl", &["--budget", "30", "--policy", "best-first"]);
    let waiting = project.json("explain", &["http://harbour.example/missing.html"]);
    assert_eq!(waiting["state"], "waiting", "{waiting}");
    assert!(waiting["words"].as_str().unwrap().contains("best-first: the page it was found on"), "{waiting}");
    let report = project.json("crawl", &["--budget", "31"]);
    assert!(report["notices"][0].as_str().unwrap().contains("have changed"), "{report}");
}

#[test]
fn nothing_that_is_there_is_destroyed() {
    let project = Project::harbour("");
    let seed = ["init", project.path().to_str().unwrap(), "--seed", "ftp://x/", "--force"];
    fails_with(&osprey().args(seed).output().unwrap(), 2);
    assert!(project.path().join("osprey.toml").exists());
    // looking at a project that was never crawled makes nothing
    fails_with(&project.run("explain", &["http://harbour.example/"]), 1);
    assert!(!project.data().exists());
    assert_eq!(project.json("status", &[])["visited"], 0);
    project.json("crawl", &[]);
    // a pipe stays a pipe
    let pipe = project.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader =
        std::process::Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().unwrap();
    project.json("export", &["--what", "visits", "--out", pipe.to_str().unwrap()]);
    let read = reader.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(read).unwrap().lines().count(), project.rows("visits").len());
    assert!(!std::fs::symlink_metadata(&pipe).unwrap().is_file());
}

#[test]
fn robots_check_prints_and_exits() {
    let robots = repository().join("fixtures/harbour/robots.txt");
    let check = |url: &str, word: &str, code: i32| {
        let output =
            osprey().args(["robots-check", robots.to_str().unwrap(), "osprey/0.1", url]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), word);
        assert_eq!(output.status.code(), Some(code));
    };
    check("http://harbour.example/", "allowed", 0);
    check("http://harbour.example/private/x", "disallowed", 1);
    fails_with(
        &osprey().args(["robots-check", "no-such-file", "osprey", "http://a.example/"]).output().unwrap(),
        2,
    );
}

#[test]
fn page_prints_what_osprey_sees() {
    let file = repository().join("fixtures/harbour/photos/101.html");
    let output = osprey()
        .args(["page", file.to_str().unwrap(), "--url", "http://harbour.example/photos/101.html"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "title     osprey on Harbour Pictures",
        "language  en",
        "/html/body/p/a[user]",
        "<a-class/user><p-class/info><body><html>",
        "http://harbour.example/users/",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let output = osprey().args(["page", file.to_str().unwrap(), "--json"]).output().unwrap();
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["title", "lang", "text_blocks", "links", "psnv", "xpaths", "images", "notes", "feature_pairs"]
    {
        assert!(view.get(key).is_some(), "no `{key}`");
    }
    assert!(view["detail_record"]["zhang-2008"]["features"]["max-sim"].is_number(), "{view}");
    assert!(view.get("data").is_none(), "nothing to compare with");
    // compared with another page of its kind, what both have is no data
    let other = file.with_file_name("102.html");
    let output = osprey().arg("page").arg(&file).arg("--like").arg(&other).arg("--json").output().unwrap();
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |key: &str| view[key].as_array().unwrap().len();
    assert!((1..count("psnv")).contains(&count("data")), "{} of {}", count("data"), count("psnv"));
}

#[test]
fn extract_shows_the_rule_of_each_field() {
    let file = repository().join("fixtures/harbour/photos/101.html");
    let extract = |args: &[&str]| osprey().arg("extract").arg(&file).args(args).output().unwrap();
    let path = "<a-class/user><p-class/info><body><html>";
    let given = ["--rule", &format!("uploader={path}"), "--rule", "title=<h7>...", "--explain"];
    let text = String::from_utf8(extract(&given).stdout).unwrap();
    assert!(text.contains("\nuploader\n  ") && text.contains(&format!("    by {path}")), "{text}");
    assert!(text.contains("title  nothing: no element of the page is called so"), "{text}");
    // without rules they are proposed, best from several pages of one kind
    let others: Vec<String> = ["102.html", "103.html"]
        .iter()
        .flat_map(|name| ["--like".to_owned(), file.with_file_name(name).display().to_string()])
        .collect();
    let mut args: Vec<&str> = others.iter().map(String::as_str).collect();
    args.push("--json");
    let shown: Value = serde_json::from_slice(&extract(&args).stdout).unwrap();
    assert_eq!(
        (&shown["record"]["title"], &shown["rules_are"]),
        (&"osprey".into(), &"proposed".into()),
        "{shown}"
    );
    let rules = shown["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["field"] == "title" && rule["values"][0] == "osprey"), "{shown}");
    // a rule that cannot be read is a wrong usage, with what is expected
    for (rule, part) in
        [("title", "FIELD=PATH"), ("titel=<h1>...", "expected one of title"), ("title=h1", "path `h1`")]
    {
        let message = fails_with(&extract(&["--rule", rule]), 2);
        assert!(message.contains(part) && message.contains(rule), "{message}");
    }
}

#[test]
fn completions_and_manual_are_generated() {
    for shell in ["bash", "zsh", "fish"] {
        let output = osprey().args(["completions", shell]).output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains("osprey"), "{shell}");
    }
    let manual = String::from_utf8(osprey().arg("man").output().unwrap().stdout).unwrap();
    assert!(manual.contains(".TH") && manual.contains("OSPREY CRAWL"));
}

/// The names of the commands below `path`, read from its own `--help`.
fn commands_below(path: &[String]) -> Vec<String> {
    let help = osprey().args(path).arg("--help").output().unwrap();
    assert!(help.status.success(), "{path:?}");
    let help = String::from_utf8(help.stdout).unwrap();
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // names are indented by two; the lines that go on with a description are indented by more
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man");
    let output = osprey().args(["man", "--json", "--out"]).arg(&out).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut paths = vec![Vec::new()];
    let mut expected = std::collections::BTreeSet::new();
    while let Some(path) = paths.pop() {
        expected.insert(format!("{}.1", [&["osprey".to_owned()], &path[..]].concat().join("-")));
        paths.extend(commands_below(&path).into_iter().map(|name| [&path[..], &[name]].concat()));
    }
    for name in ["osprey.1", "osprey-robots-check.1", "osprey-lab-run.1", "osprey-topic-expand.1"] {
        assert!(expected.contains(name), "{name} is not in {expected:?}");
    }
    let written: std::collections::BTreeSet<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(written, expected);
    assert_eq!(told["pages"], expected.len());
    for name in written {
        let page = std::fs::read_to_string(out.join(&name)).unwrap();
        let title = name.strip_suffix(".1").unwrap();
        assert!(page.contains(&format!(".TH {title} 1")), "{name}: {page}");
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(section), "{name} has no {section}");
        }
    }
}

/// The binary as a user who may write nowhere in a project; `None` if this machine has no other user to be.
fn as_another_user() -> Option<std::process::Command> {
    use std::os::unix::fs::MetadataExt as _;
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return Some(osprey()); // taking the right to write away is enough
    }
    let other = || {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(osprey().get_program());
        command
    };
    other().arg("--version").output().is_ok_and(|output| output.status.success()).then(other)
}

#[test]
fn what_may_only_be_read_can_be_looked_at_searched_explained_and_exported() {
    use std::os::unix::fs::PermissionsExt as _;
    if as_another_user().is_none() {
        return eprintln!("left out: there is no other user here, or the binary is out of its reach");
    }
    let project = Project::harbour("");
    project.json("crawl", &[]);
    project.json("index", &[]);
    let everything = || {
        let mut paths = vec![project.path().to_owned()];
        let mut next = 0;
        while let Some(path) = paths.get(next).cloned() {
            if path.is_dir() {
                paths.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
            next += 1;
        }
        paths.sort();
        paths
    };
    let allow = |file: u32, folder: u32| {
        for path in everything() {
            let mode = if path.is_dir() { folder } else { file };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0o444, 0o555);
    let before = everything();
    let look = |args: &[&str]| {
        let mut command = as_another_user().unwrap();
        let output = command.arg(args[0]).arg(project.path()).args(&args[1..]).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let checks = [
        (&["status"][..], "visited"),
        (&["explain", "http://harbour.example/"], "harbour"),
        (&["export", "--what", "visits"], "http://harbour.example/"),
        (&["export", "--what", "records"], ""),
        (&["export", "--what", "pages"], "harbour"),
        (&["search", "harbour"], "harbour"),
    ];
    let results: Vec<_> = checks.iter().map(|(args, _)| look(args)).collect();
    let left = everything();
    allow(0o644, 0o755);
    for ((args, part), (success, out, err)) in checks.iter().zip(results) {
        assert!(success && out.contains(part), "{args:?}: {out}{err}");
    }
    assert_eq!(left, before, "nothing was written");
}
