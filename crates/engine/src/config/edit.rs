//! Changes a list in a configuration file; order, comments and everything else stay as they are.

use toml_edit::{Array, DocumentMut, Item, Value};

/// The text with other values in the list `key` of `[section]`, which is made where it is not there; `None` if the text is
/// no TOML or the section is something else.
pub(crate) fn set_list(text: &str, section: &str, key: &str, values: &[String]) -> Option<String> {
    let mut file: DocumentMut = text.parse().ok()?;
    let table = file.entry(section).or_insert_with(toml_edit::table).as_table_like_mut()?;
    let mut value = Value::from(values.iter().map(String::as_str).collect::<Array>());
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        // a remark behind the value
        *value.decor_mut() = old.decor().clone();
    }
    match table.get_mut(key) {
        Some(item) => *item = Item::Value(value),
        None => drop(table.insert(key, Item::Value(value))),
    }
    Some(file.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let values = ["sea".to_owned(), "a \"b\"".to_owned()];
        assert_eq!(set_list(text, "topic", "tags", &values).as_deref(), expect, "{text}");
    }

    #[test]
    fn one_value_changes_and_nothing_else() {
        check(
            "# mine\n[topic]\ntags = [\"beach\"] # why\nnode = 1\n[policy]\ntags = []\n",
            Some("# mine\n[topic]\ntags = [\"sea\", 'a \"b\"'] # why\nnode = 1\n[policy]\ntags = []\n"),
        );
        check("[topic]\ntags = [\n  \"beach\", # one\n]\n", Some("[topic]\ntags = [\"sea\", 'a \"b\"']\n"));
        check("topic = { tags = [] }\n", Some("topic = { tags = [\"sea\", 'a \"b\"'] }\n"));
    }

    #[test]
    fn what_is_not_there_is_made() {
        check("[topic]\nnode = 1\n", Some("[topic]\nnode = 1\ntags = [\"sea\", 'a \"b\"']\n"));
        check("[policy]\n", Some("[policy]\n\n[topic]\ntags = [\"sea\", 'a \"b\"']\n"));
    }

    #[test]
    fn other_text_is_kept() {
        check("topic = 1\n", None);
        check("[topic\n", None);
    }
}
