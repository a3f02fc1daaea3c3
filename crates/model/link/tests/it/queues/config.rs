//! The notation of disciplines.

use netloom_link::Discipline;

fn read(text: &str) -> Result<Discipline, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn error(text: &str) -> String {
    read(text).expect_err(text)
}

#[test]
fn a_name_is_enough() {
    for (name, _) in Discipline::ALL {
        let discipline: Discipline = name.parse().unwrap();
        assert_eq!(discipline.to_string(), *name);
        assert_eq!(read(&format!(r#""{name}""#)).as_ref(), Ok(&discipline));
        assert_eq!(read(&format!(r#"{{"{name}":{{}}}}"#)).as_ref(), Ok(&discipline));
        assert_eq!(serde_json::to_string(&discipline).unwrap(), format!(r#""{name}""#));
    }
    assert_eq!(Discipline::ALL.len(), 10);
    assert_eq!(read(r#""wf2q""#), read(r#""wf2q+""#));
    assert_eq!(read(r#"{"wf2q":{"flows":4}}"#), read(r#"{"wf2q+":{"flows":4}}"#));
}

#[test]
fn tables_are_printed_as_they_are_read() {
    for text in [
        r#"{"fifo":{"drop":"head"}}"#,
        r#"{"codel":{"target":"1ms","interval":"20ms","ecn":false}}"#,
        concat!(
            r#"{"fq_codel":{"flows":16,"quantum":"300B","target":"5ms","interval":"100ms","#,
            r#""ecn":true}}"#,
        ),
        concat!(
            r#"{"drr":{"classes":[{"match":{"dscp":46},"weight":3},"#,
            r#"{"match":{"source":"10.0.0.0/8"}},{"limit":"9packets"}],"quantum":"1.514kB"}}"#,
        ),
        r#"{"drr":{"flows":128,"quantum":"3kB"}}"#,
        r#"{"step":{"mark_at":"65packets"}}"#,
        r#"{"codel":{"target":"5ms","interval":"100ms","ecn":true,"ce_threshold":"1ms"}}"#,
        concat!(
            r#"{"dualpi2":{"target":"10ms","update":"15ms","alpha":0.15,"beta":3.0,"#,
            r#""coupling":2.0,"step":"1ms","classic_share":"10%"}}"#,
        ),
        r#"{"wf2q+":{"classes":[{"match":{"dscp":[10,12]}}]}}"#,
        r#"{"prio":{"classes":[{"match":{"destination":"fd00::/8"}}]}}"#,
        concat!(
            r#"{"prio":{"classes":[{"match":{"dscp":46},"limit":"40packets","discipline":"codel","#,
            r#""most":"4Mbit/s"}]}}"#,
        ),
        concat!(
            r#"{"red":{"min":"20packets","max":"40packets","max_p":"2%","weight":0.002,"#,
            r#""gentle":false,"mean_packet":"1kB","ecn":true,"hard_drop":true,"#,
            r#""by_dscp":{"10":{"min":"30packets","#,
            r#""max":"60packets","max_p":"2%"},"14":{"min":"5packets","max":"15packets","#,
            r#""max_p":"20%"}}}}"#,
        ),
    ] {
        let discipline = read(text).unwrap();
        let written = serde_json::to_string(&discipline).unwrap();
        assert_eq!(read(&written).unwrap(), discipline);
        assert_eq!(written, text);
    }
}

#[test]
fn errors_say_what_to_write_instead() {
    for (text, hint) in [
        (r#""sfq""#, "`fq_codel`"),
        (r#"{"codel":{"target":5}}"#, "5ms"),
        (r#"{"codel":{"interval":"0s"}}"#, "`100ms`"),
        (r#"{"codel":{"tarjet":"5ms"}}"#, "tarjet"),
        (r#"{"red":{"min":"20packets"}}"#, "at least `min`"),
        (r#"{"red":{"no_drop":true,"ecn":false}}"#, "`no_drop` of red needs `ecn`"),
        (r#"{"red":{"no_drop":true,"hard_drop":true}}"#, "contradict each other"),
        (r#"{"red":{"adaptive":true,"by_dscp":{"af11":{}}}}"#, "`adaptive`"),
        (r#"{"red":{"min":"5kB"}}"#, "both in bytes"),
        (r#"{"red":{"weight":0}}"#, "above 0"),
        (r#"{"red":{"max_p":0.1}}"#, "%"),
        (r#"{"pie":{"update":"0ms"}}"#, "`15ms`"),
        (r#"{"pie":{"alpha":-1}}"#, "`alpha`"),
        (r#"{"step":{"mark_at":"default"}}"#, "`20packets`"),
        (r#"{"dualpi2":{"update":"1us"}}"#, "`15ms`"),
        (r#"{"dualpi2":{"beta":-1}}"#, "`beta`"),
        (r#"{"dualpi2":{"coupling":0.5}}"#, "default is 2"),
        (r#"{"dualpi2":{"classic_share":"60%"}}"#, "50%"),
        (r#"{"prio":{"classes":[{"discipline":"dualpi2"}]}}"#, "class 1: `dualpi2`"),
        (r#"{"fq_codel":{"flows":0}}"#, "nonzero"),
        (r#"{"fq_codel":{"flows":100000}}"#, "65536"),
        (r#"{"fq_codel":{"quantum":"100B"}}"#, "256B"),
        (r#"{"drr":{"flows":4,"classes":[{}]}}"#, "not by both"),
        (r#"{"drr":{"classes":[{},{}]}}"#, "classes 1 and 2"),
        (r#"{"drr":{"classes":[{"match":{}}]}}"#, "class 1"),
        (r#"{"drr":{"classes":[{"weight":0}]}}"#, "nonzero"),
        (r#"{"drr":{"classes":[{"weight":100000}]}}"#, "65536"),
        (r#"{"drr":{"quantum":"1B"}}"#, "256B"),
        (r#"{"wf2q+":{"quantum":"1B"}}"#, "quantum"),
        (r#"{"prio":{"classes":[{"weight":2}]}}"#, "wf2q+"),
        (r#"{"prio":{"classes":[{},{"match":{"dscp":1},"discipline":"drr"}]}}"#, "class 2: `drr`"),
        (r#"{"prio":{"classes":[{"match":{}}]}}"#, "class 1: `match` says nothing"),
        (r#"{"red":{"by_dscp":{"af44":{}}}}"#, "`af11` to `af43`"),
        (r#"{"red":{"by_dscp":{"af11":{},"10":{}}}}"#, "DSCP 10 has thresholds twice"),
        (
            r#"{"red":{"by_dscp":{"af11":{"min":"9packets","max":"8packets"}}}}"#,
            "of DSCP 10: `max`",
        ),
        (r#"{"red":{"by_dscp":{"af11":{"min":"9kB","max":"99kB"}}}}"#, "the average is one"),
        (r#"{"prio":{"classes":[{"match":{"source":"10.0.0.1/8"}}]}}"#, "10.0.0.0/8"),
        (r#"{"prio":{"classes":[{"match":{"dscp":"expedited"}}]}}"#, "`ef`"),
    ] {
        assert!(error(text).contains(hint), "{text}: {}", error(text));
    }
    let many = vec!["{\"match\":{\"dscp\":1}}"; 65].join(",");
    assert!(error(&format!(r#"{{"drr":{{"classes":[{many}]}}}}"#)).contains("64"));
}
