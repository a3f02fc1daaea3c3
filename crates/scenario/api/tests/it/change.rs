//! Requests that change links.

use netloom_api::change::ChangeRequest;
use serde_json::json;

#[test]
fn strings_of_other_tools_become_properties() {
    let change =
        |change| json!({"changes": [{"link": "l", "direction": "both", "change": change}]});
    let request: ChangeRequest =
        serde_json::from_value(change(json!({"netem": "delay 10ms loss 1%", "ber": 1e-6})))
            .unwrap();
    // The engine applies and reports only properties.
    let done = json!({"ber": 1e-6, "delay": "10ms", "loss": "1%"});
    assert_eq!(serde_json::to_value(&request).unwrap(), change(done));
    let error = serde_json::from_value::<ChangeRequest>(change(json!({"netem": "dely 10ms"})));
    assert!(error.unwrap_err().to_string().contains("dely"));
}
