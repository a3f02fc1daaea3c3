//! `netloom capture`

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use http_body_util::BodyExt;
use hyper::body::Incoming;

use crate::args::Capture;
use crate::{exit, find};

/// Captures the frames at an interface until Ctrl-C, the end of the experiment, or the end of the
/// reader.
pub async fn capture(args: Capture) -> Result<i32> {
    let (interface, experiment) = find::split_at(&args.interface);
    let client = find::client(experiment, &args.scenario).await?;
    let path = format!("/capture?interface={interface}&drops={}", args.drops);
    write(client.stream(&path).await?, &args.write, &format!("at {interface}")).await
}

/// Writes a stream of captured frames to a file, or to standard output for `-`, until Ctrl-C, its
/// end, or the end of the reader.
pub async fn write(mut body: Incoming, to: &Path, what: &str) -> Result<i32> {
    let mut output: Box<dyn Write> = if to == Path::new("-") {
        Box::new(io::stdout())
    } else {
        let file = File::create(to).with_context(|| format!("cannot make {}", to.display()))?;
        eprintln!("capturing {what} into {}; Ctrl-C ends", to.display());
        Box::new(file)
    };
    let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            _ = &mut interrupt => return Ok(exit::SUCCESS),
        };
        let Some(Ok(frame)) = frame else { return Ok(exit::SUCCESS) };
        let Ok(data) = frame.into_data() else { continue };
        match output.write_all(&data).and_then(|()| output.flush()) {
            Ok(()) => {}
            // Wireshark was closed: this is how captures into a pipe end.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(exit::SUCCESS),
            Err(error) => return Err(error).context("cannot write the capture"),
        }
    }
}
