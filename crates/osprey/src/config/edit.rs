//! Changing a value in a configuration that people write: nothing but that value is touched.

use std::ops::Range;

use toml::de::DeTable;

/// The text with another value of `key` in `[section]`; `None` if it is not there or the text is no TOML.
pub(crate) fn set_value(text: &str, section: &str, key: &str, value: &toml::Value) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let Range { start, end } = table.get_ref().get(section)?.get_ref().as_table()?.get(key)?.span();
    Some(format!("{}{value}{}", text.get(..start)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let value = toml::Value::from(vec!["sea", "a \"b\""]);
        assert_eq!(set_value(text, "topic", "tags", &value).as_deref(), expect, "{text}");
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
    fn what_is_not_there_is_not_made_up() {
        check("[topic]\nnode = 1\n", None);
        check("[policy]\ntags = []\n", None);
        check("topic = 1\n", None);
        check("[topic\n", None);
    }
}
