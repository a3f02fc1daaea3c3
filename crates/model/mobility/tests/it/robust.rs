//! Readers of formats, with damaged texts. They do not panic, and all that they accept can be
//! written and read again. `fuzz/fuzz_targets/movements.rs` runs the same test for longer.

use netloom_mobility::orbit::Elements;
use netloom_mobility::{Movements, Plane, TraceFormat, Traces};
use netloom_units::{DataFormat, Stream, Time};

const TEXTS: &[&str] = &[
    "$node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n$ns_ at 2.0 \"$node_(0) setdest 11 2 10.0\"\n",
    "0 1 2 10 11 2 20 11 2\n5.5 0 0\n",
    "0.0 1 2 3 10.0 1 2 13\n",
    "<fcd-export><timestep time=\"0.00\"><vehicle id=\"a\" x=\"0.00\" y=\"1.00\"/></timestep>\
     <timestep time=\"1\"><person id=\"b&amp;\" x=\"1\" y=\"2\" z=\"3\"/></timestep></fcd-export>",
    "<gpx><trk><name>n</name><trkseg><trkpt lat=\"48.78\" lon=\"9.18\"><ele>250</ele>\
     <time>2024-05-01T12:00:00.5+02:00</time></trkpt></trkseg></trk></gpx>",
    "time,node,x,y,z,on\n0,a,0,0,0,1\n10,a,10,0,5,0\n5,b,1,1,1,1\n",
    "0,car,48,9\n1.5,car,49,10\n",
    "X\n1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n\
     2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667\n",
];

/// Returns a text with some of its bytes changed, removed or doubled.
fn spoilt(text: &str, stream: &mut Stream) -> String {
    const BYTES: &[u8] = b"0123456789.,-+eE $()\"<>/=\n#nifa_&;xyz";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=stream.below(6) {
        let at = stream.below(bytes.len() as u64 + 1) as usize;
        let byte = BYTES[stream.below(BYTES.len() as u64) as usize];
        match stream.below(4) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => bytes[at] = byte,
            2 => bytes.truncate(at.max(1)),
            _ => {
                let end = (at + stream.below(20) as usize).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn check(traces: &Traces) {
    let lines = Vec::<String>::from(traces.clone());
    let again = Traces::try_from(lines).expect("what is read can be written");
    assert!(traces.names().eq(again.names()));
    let plane = traces.first_place().and_then(|place| Plane::new(place).ok());
    let until = traces.last();
    let path = |node: &str| traces.trajectory(node, plane.as_ref(), Time::ZERO, &|point| point);
    let nodes: Result<Vec<_>, _> =
        traces.names().map(|node| path(node).map(|path| (node.to_owned(), path))).collect();
    let Ok(nodes) = nodes else { return };
    for (format, ..) in TraceFormat::ALL {
        let movements = Movements { nodes: &nodes, until, plane: plane.as_ref() };
        if let Ok(text) = format.write(&movements) {
            let read = format.read(&text);
            assert!(read.is_ok() || nodes.is_empty(), "{format}: {read:?}\n{text}");
        }
    }
}

#[test]
fn spoilt_texts_are_read_or_refused() {
    let mut stream = Stream::new(1, "spoilt");
    let mut read = 0;
    for _ in 0..1500 {
        for text in TEXTS {
            let text = spoilt(text, &mut stream);
            if let Ok(traces) = Traces::parse(&text) {
                read += 1;
                check(&traces);
            }
            for (format, ..) in TraceFormat::ALL {
                let _ = format.read(&text);
            }
            if let Ok(elements) = Elements::parse(&text) {
                let _ = elements.orbits(netloom_units::Duration::from_secs(600));
            }
        }
    }
    assert!(read > 1000, "{read}");
}
