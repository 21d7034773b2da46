//! The API is what its description says: every address is there, and answers have the described shapes and nothing else.

use serde_json::Value;

use crate::projects::Folder;
use crate::served::{JSON, Served};

fn description() -> Value {
    serde_json::from_str(osprey_server::OPENAPI).unwrap()
}

/// Checks a value against a schema of the description, by its name.
pub(crate) fn check_shape(name: &str, value: &Value) {
    let description = description();
    let schema = &description["components"]["schemas"][name];
    assert!(schema.is_object(), "no schema {name}");
    if let Err(why) = fits(&description, schema, value) {
        panic!("{name}: {why}");
    }
}

/// As much of JSON Schema as the description uses; a property that is not described is an error.
fn fits(description: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(path) = schema["$ref"].as_str() {
        return fits(description, description.pointer(&path[1..]).unwrap(), value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let found = choices.iter().filter(|choice| fits(description, choice, value).is_ok()).count();
        return if found == 1 { Ok(()) } else { Err(format!("{value} fits {found} of {choices:?}")) };
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let is = |name: &&str| match *name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    };
    if !types.is_empty() && !types.iter().any(is) {
        return Err(format!("{value} is no {types:?}"));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Err(format!("{value} is none of {values:?}"));
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        fits(description, &schema["items"], item)?;
    }
    let Some(object) = value.as_object() else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(name.as_str().unwrap()) {
            return Err(format!("{name} is missing in {value}"));
        }
    }
    let (known, others) = (&schema["properties"], &schema["additionalProperties"]);
    for (name, inner) in object.iter().filter(|_| known.is_object() || others.is_object()) {
        let schema = known.get(name).or(others.as_object().map(|_| others));
        let schema = schema.ok_or_else(|| format!("`{name}` is not described"))?;
        fits(description, schema, inner).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}

#[test]
fn every_address_of_the_description_is_there() {
    let served = Served::new(Folder::harbour());
    let mut asked = 0;
    for (path, methods) in description()["paths"].as_object().unwrap() {
        let path = path.replace("{name}", "it").replace("{number}", "4");
        for method in methods.as_object().unwrap().keys().filter(|_| !path.ends_with("/events")) {
            let answer = served.send(&method.to_uppercase(), &format!("/api/v1{path}"), JSON, b"");
            // whatever is missing in the request, the address is known
            assert!(
                !matches!(answer.status, 405) && !answer.text().contains("page not found"),
                "{method} {path}"
            );
            asked += 1;
        }
    }
    assert!(asked >= 14, "{asked}");
    assert_eq!(served.get("/api/v1/nothing").status, 404);
}

#[test]
fn answers_have_the_described_shapes() {
    let served = Served::new(Folder::evil());
    check_shape("Crawl", &served.api(""));
    check_shape("Results", &served.api("/search?q=harbour"));
    check_shape("Item", &served.api("/item?url=http://photos.example/0.html"));
    check_shape("Item", &served.api("/item?url=http://photos.example/2.html"));
    check_shape("Sitemap", &served.api("/sitemap"));
    check_shape("Topic", &served.api("/topic"));
    check_shape("Summary", &served.get("/api/v1/projects").json()["projects"][0]);
    check_shape("Error", &served.get("/api/v1/projects/other").json());
    let crawl = served.api("");
    for list in ["policies", "hosts", "page_types", "curve", "recent"] {
        assert!(!crawl[list].as_array().unwrap().is_empty(), "{list}");
    }
    // an undescribed field would be seen
    let mut more = crawl;
    more["more"] = Value::Null;
    let description = description();
    assert!(fits(&description, &description["components"]["schemas"]["Crawl"], &more).is_err());
}
