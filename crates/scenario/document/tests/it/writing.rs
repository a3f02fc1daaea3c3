//! Whole values as text.

use netloom_document::{Dialect, Document, Value, write};

use crate::support::{Random, read, samples};

fn check(value: &Value) {
    let text = write(value);
    let read = Document::read(&text, &Dialect::PLAIN);
    let read = read.unwrap_or_else(|error| panic!("{error:?}\n{value:?}\n{text}"));
    assert_eq!(read.value(&[]).as_ref(), Some(value), "{text}");
}

#[test]
fn every_scenario_is_the_same_value_when_it_is_written_anew() {
    let samples = samples();
    for sample in &samples {
        check(&read(&sample.text).value(&[]).unwrap());
    }
    println!("{} texts", samples.len());
}

#[test]
fn every_value_is_the_same_when_it_is_written_and_read() {
    let mut random = Random(7);
    for _ in 0..20_000 {
        let value = random.value(4);
        // A text with nothing in it is no document.
        if value != Value::Null {
            check(&value);
        }
    }
}

#[test]
fn every_text_is_the_same_when_it_is_written_and_read() {
    let mut random = Random(8);
    let letters: Vec<char> =
        "ab1 0.:-_#,[]{}&*!|>'\"%@`~?=<\\/\n\t\ré\u{85}\u{2028}\u{feff}\u{1F600}".chars().collect();
    for _ in 0..20_000 {
        let text: String = (0..random.below(8)).map(|_| *random.choose(&letters)).collect();
        let value = Value::from(text);
        check(&value);
        check(&Value::List(vec![value.clone(), value.clone()]));
        if let Value::Text(key) = &value {
            let inner = Value::Mapping(vec![(key.clone(), value.clone())]);
            check(&Value::Mapping(vec![("k".into(), inner)]));
        }
    }
}

#[test]
fn odd_numbers_are_the_same_when_they_are_written_and_read() {
    for text in ["-0", "-0.0", "1e999", "-1e999", "0x1F", "+7", ".5", "18446744073709551616"] {
        check(&read(text).value(&[]).unwrap());
    }
}

#[test]
fn long_keys_may_have_empty_lists() {
    let key = "k".repeat(120);
    for value in [Value::List(Vec::new()), Value::Mapping(Vec::new()), Value::Null, "x".into()] {
        check(&Value::Mapping(vec![(key.clone(), value)]));
    }
}

#[test]
fn what_is_written_is_in_block_style_with_few_quotes() {
    let text = "name: two
topology:
  nodes:
    a:
    r:
      kind: router
      publish: [\"8080:80\"]
  links:
    - endpoints: [a:eth1, r:eth1]
      delay: 5ms
      forward:
        queue:
          limit: 10000
    - endpoints: [a, r]
      empty: {}
processes:
  - name: p
    command: |
      ping -c 3 b
      true
    env:
      \"1\": \"yes\"
  - - 1.5
    - - {}
";
    let value = read(text).value(&[]).unwrap();
    assert_eq!(
        write(&value).replace("  - - 1.5\n    - - {}\n", ""),
        text.replace("  - - 1.5\n    - - {}\n", "")
    );
}
