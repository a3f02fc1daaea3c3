//! Titles of the choices in a schema. Generators of code name a type by its title; without one they
//! number it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Gives every choice of a `oneOf` or `anyOf`, and every object within another schema, a title made
/// of where it is and of its tag or first key. No title is the name of a definition, nor one of
/// two schemas. `definitions` is the key of the definitions, and `root` the name of the whole.
pub fn add(root: &str, schema: &mut Value, definitions: &str) {
    let mut taken = BTreeSet::new();
    let defined = schema[definitions].take();
    if let Value::Object(defined) = &defined {
        taken.extend(defined.keys().cloned());
    }
    let mut titles = Titles { taken };
    if !root.is_empty() {
        titles.inside(schema, root);
    }
    schema[definitions] = defined;
    for (name, definition) in schema[definitions].as_object_mut().into_iter().flatten() {
        titles.inside(definition, name);
    }
}

struct Titles {
    taken: BTreeSet<String>,
}

impl Titles {
    /// Adds titles to what is in a schema called `name`.
    fn inside(&mut self, schema: &mut Value, name: &str) {
        for key in ["oneOf", "anyOf"] {
            let choices = schema.get_mut(key).and_then(Value::as_array_mut);
            for choice in choices.into_iter().flatten().filter_map(Value::as_object_mut) {
                if choice.contains_key("$ref") {
                    continue;
                }
                let title = self.title(choice, &format!("{name}{}", camel(&tag(choice))));
                self.inside_object(choice, &title);
            }
        }
        if let Some(schema) = schema.as_object_mut() {
            self.inside_object(schema, name);
        }
    }

    /// Adds titles to the parts of an object or a list called `name`.
    fn inside_object(&mut self, schema: &mut Map<String, Value>, name: &str) {
        for (key, property) in
            schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
        {
            self.part(property, &format!("{name}{}", camel(key)));
        }
        for (key, word) in [("items", "Item"), ("additionalProperties", "Entry")] {
            if let Some(part) = schema.get_mut(key) {
                self.part(part, &format!("{name}{word}"));
            }
        }
        let parts = schema.get_mut("prefixItems").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            self.part(part, &format!("{name}Part"));
        }
    }

    fn part(&mut self, schema: &mut Value, name: &str) {
        let Some(part) = schema.as_object_mut() else { return };
        if part.contains_key("properties") {
            let title = self.title(part, name);
            return self.inside(schema, &title);
        }
        self.inside(schema, name);
    }

    /// Gives a schema a title, if it has none. Returns its title.
    fn title(&mut self, schema: &mut Map<String, Value>, wanted: &str) -> String {
        if let Some(Value::String(title)) = schema.get("title") {
            return title.clone();
        }
        let mut title = wanted.to_owned();
        while !self.taken.insert(title.clone()) {
            title += "Choice";
        }
        schema.insert("title".into(), json!(title));
        title
    }
}

/// Returns the word by which a choice is known from the others: a constant, its first required key,
/// or its type.
fn tag(choice: &Map<String, Value>) -> String {
    let properties = choice.get("properties").and_then(Value::as_object);
    let constant = properties.into_iter().flatten().find_map(|(_, value)| value.get("const"));
    let required = choice.get("required").and_then(|required| required.get(0));
    let found = choice.get("const").or(constant).or(required);
    if let Some(Value::String(word)) = found {
        return word.clone();
    }
    if let Some((key, _)) = properties.and_then(|properties| properties.iter().next()) {
        return key.clone();
    }
    match choice.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("_or_")
        }
        _ => "value".into(),
    }
}

/// Writes `some_words` as `SomeWords`.
fn camel(words: &str) -> String {
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let upper = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    words.filter_map(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_called_by_where_they_are_and_by_tag_or_first_key() {
        let mut schema = json!({
            "properties": {"x": {"oneOf": [{"const": "on"}, {"required": ["a_b"]}]}},
            "$defs": {
                "Event": {"oneOf": [
                    {"properties": {"event": {"const": "node_up"}, "at": {"properties": {}}}},
                    {"$ref": "#/$defs/EventOff"},
                    {"const": "off"},
                ]},
                "EventOff": {},
            },
        });
        add("Root", &mut schema, "$defs");
        let choices = &schema["$defs"]["Event"]["oneOf"];
        assert_eq!(choices[0]["title"], "EventNodeUp");
        assert_eq!(choices[0]["properties"]["at"]["title"], "EventNodeUpAt");
        assert_eq!(choices[1], json!({"$ref": "#/$defs/EventOff"}));
        assert_eq!(choices[2]["title"], "EventOffChoice");
        let inner = &schema["properties"]["x"]["oneOf"];
        assert_eq!([&inner[0]["title"], &inner[1]["title"]], ["RootXOn", "RootXAB"]);
        assert_eq!(schema["$defs"]["EventOff"], json!({}));
    }
}
