//! `[notify]`, `crawl.stop_below` and what is left: how a crawl tells that it has ended, or had better.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};

use osprey_rogue::{Answer, Reply, Server, SiteRequest};
use serde_json::{Value, json};

use crate::project::{Project, fails_with};
use crate::web::live;

fn told(project: &Project, file: &str) -> Value {
    let text = std::fs::read_to_string(project.path().join(file)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_command_runs_at_the_end() {
    let project = Project::harbour("[notify]\ncommand = \"cat > told.json; echo $OSPREY_EVENT > event\"\n");
    let report = project.json("crawl", &["--budget", "5"]);
    let told = told(&project, "told.json");
    assert_eq!((&told["event"], &told["stopped_by"]), (&json!("ended"), &json!("budget")));
    assert_eq!((&told["visited"], &told["waiting"]), (&report["visited"], &report["frontier"]));
    assert!(told["text"].as_str().unwrap().contains("the crawl has ended after 5 visits"), "{told}");
    assert_eq!(std::fs::read_to_string(project.path().join("event")).unwrap(), "ended\n");
}

#[test]
fn the_first_hundred_are_notified_once() {
    let project = Project::new(
        "[crawl]\nscope = \"domain\"\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 600\n[fetch]\nsitemaps = false\n\
         [topic]\ntags = [\"flower\", \"beach\", \"snow\", \"dog\", \"car\"]\n[vision]\npictures = \"none\"\n\
         [notify]\ncommand = [\"sh\", \"-c\", \"cat >> $OSPREY_EVENT.json\"]\n",
    );
    let report = project.json("crawl", &[]);
    assert!(report["relevant"].as_u64().unwrap() > 150, "{report}");
    let first = told(&project, "first-hundred.json");
    assert_eq!(first["relevant"], 100, "{first}");
    assert_eq!(told(&project, "ended.json")["relevant"], report["relevant"]);
    std::fs::remove_file(project.path().join("ended.json")).unwrap();
    project.json("crawl", &[]);
    assert!(project.path().join("ended.json").exists());
    assert_eq!(told(&project, "first-hundred.json"), first, "it was told again");
}

#[test]
fn a_web_hook_gets_the_message_as_json() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?room=a%20b", listener.local_addr().unwrap());
    let hook = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let (mut lines, mut writer) = (BufReader::new(stream.try_clone().unwrap()), stream);
        let (mut head, mut line) = (String::new(), String::new());
        while lines.read_line(&mut line).unwrap() > 2 {
            head += &std::mem::take(&mut line);
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        lines.read_exact(&mut body).unwrap();
        writer.write_all(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n").unwrap();
        (head, serde_json::from_slice::<Value>(&body).unwrap())
    });
    let project = Project::harbour(&format!("[notify]\nurl = \"{url}\"\n"));
    let output = project.run("crawl", &["--budget", "5"]);
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("notify"), "{output:?}");
    let (head, message) = hook.join().unwrap();
    assert!(head.starts_with("POST /hook?room=a%20b HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("Content-Type: application/json\r\n"), "{head}");
    assert_eq!((&message["event"], &message["visited"]), (&json!("ended"), &json!(5)));
}

#[test]
fn a_message_that_fails_is_a_note() {
    // a port without a listener
    let url = format!("http://{}/", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let project = Project::harbour(&format!("[notify]\ncommand = \"exit 3\"\nurl = \"{url}\"\n"));
    let output = project.run("crawl", &["--budget", "5"]);
    assert!(output.status.success());
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(notes.contains("note: notify.command: failed: exit status: 3"), "{notes}");
    assert!(notes.contains("note: notify.url: http://127.0.0.1:"), "{notes}");
}

#[test]
fn a_crawl_that_waits_for_long_is_stuck() {
    let requests = AtomicU64::new(0);
    let server = Server::start(move |asked: &SiteRequest<'_>| -> Answer {
        match asked.path {
            "/robots.txt" => Reply::status(404).into(),
            "/" => Reply::html("<title>a</title><a href=\"/x\">x</a>").into(),
            _ if requests.fetch_add(1, Ordering::Relaxed) == 0 => {
                Reply::status(503).with("Retry-After", "3").into()
            }
            _ => Reply::html("<title>x</title>there it is").into(),
        }
    })
    .unwrap();
    let notify = "[notify]\nstuck_seconds = 1\ncommand = \"cat > $OSPREY_EVENT.json\"\n";
    let project = live(&[server.url("/")], "", &format!("host_delay_ms = 0\n{notify}"));
    let report = project.json("crawl", &[]);
    assert_eq!(report["visited"], 2, "{report}");
    let stuck = told(&project, "stuck.json");
    assert!(stuck["text"].as_str().unwrap().contains("nothing was fetched for 1.0 s"), "{stuck}");
    assert_eq!((&stuck["event"], &stuck["visited"]), (&json!("stuck"), &json!(1)));
    assert_eq!(told(&project, "ended.json")["stopped_by"], "empty");
}

#[test]
fn messages_that_cannot_be_sent_are_configuration_errors() {
    let check = |notify: &str, expect: &str| {
        let error = fails_with(&Project::harbour(&format!("[notify]\n{notify}\n")).run("crawl", &[]), 2);
        assert!(error.contains(expect), "{notify}: {error}");
    };
    check("command = \"\"", "`notify.command`: is empty");
    check("command = []", "`notify.command`: is empty");
    check("url = \"ftp://a.example/\"", "`notify.url`");
    check("url = \"https://me:secret@a.example/\"", "user name or password");
    check("stuck_seconds = 0", "`notify.stuck_seconds`");
    check("comand = \"x\"", "did you mean `command`?");
}

/// A photo site on which few pages are about the topic.
fn photos(crawl: &str) -> Project {
    Project::new(&format!(
        "[crawl]\nscope = \"domain\"\n{crawl}\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 3000\n\
         [fetch]\nsitemaps = false\n[topic]\ntags = [\"flower\"]\n[vision]\npictures = \"none\"\n"
    ))
}

#[test]
fn a_crawl_that_brings_too_little_ends() {
    let project = photos("stop_below = 0.6");
    let first = project.json("crawl", &[]);
    assert_eq!(first["stopped_by"], "harvest", "{first}");
    let visited = first["visited"].as_u64().unwrap();
    assert!((200..1000).contains(&visited), "{first}");
    // the same project ends in the same place, and stays there
    assert_eq!(photos("stop_below = 0.6").json("crawl", &[])["visited"], visited);
    let again = project.run("crawl", &[]);
    let text = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(text.contains("0 of them in this run") && text.contains("`crawl.stop_below`"), "{text}");
    let file = project.path().join("osprey.toml");
    let toml = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, toml.replace("stop_below = 0.6", "stop_below = 0.0001")).unwrap();
    let on = project.json("crawl", &["--budget", &(visited + 50).to_string()]);
    assert_eq!((&on["this_run"], &on["stopped_by"]), (&json!(50), &json!("budget")));
}

#[test]
fn stop_below_needs_a_judge_and_a_share() {
    let with = |share: &str, topic: &str| {
        let toml = "[crawl]\nseeds = [\"http://harbour.example/\"]\nstop_below = ";
        format!(
            "{toml}{share}\n[source]\nkind = \"replay\"\npath = \"{{fixtures}}/harbour\"\nbase = \"http://harbour.example/\"\n{topic}"
        )
    };
    let check = |share: &str, topic: &str, expect: &str| {
        let error = fails_with(&Project::new(&with(share, topic)).run("crawl", &[]), 2);
        assert!(error.contains("`crawl.stop_below`") && error.contains(expect), "{error}");
    };
    check("0.02", "", "needs a judge");
    check("1.5", "[topic]\ntags = [\"boat\"]\n", "above 0 and below 1");
    check("0", "[topic]\ntags = [\"boat\"]\n", "above 0 and below 1");
}

#[test]
fn status_says_what_is_left() {
    let project = photos("");
    project.json("crawl", &["--policy", "breadth-first", "--budget", "800"]);
    let status = project.json("status", &[]);
    let outlook = &status["outlook"];
    let number = |key: &str| outlook[key].as_u64().unwrap();
    assert!(number("relevant") <= number("most") && number("most") <= number("waiting"), "{outlook}");
    let text = String::from_utf8_lossy(&project.run("status", &[]).stdout).into_owned();
    assert!(text.contains("left      ") && text.contains(" among "), "{text}");
    // the rest of the site, as it turns out
    let before = status["relevant"].as_u64().unwrap();
    let true_rest =
        project.json("crawl", &["--policy", "breadth-first"])["relevant"].as_u64().unwrap() - before;
    assert!(number("most") >= true_rest / 2 && number("relevant") <= true_rest * 3, "{outlook}, {true_rest}");
    // without a judge there is nothing to say
    let unjudged = Project::harbour("");
    unjudged.json("crawl", &[]);
    assert!(unjudged.json("status", &[])["outlook"].is_null());
}
