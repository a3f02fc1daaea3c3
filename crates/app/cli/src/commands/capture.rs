//! `netloom capture`

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use http_body_util::BodyExt;

use crate::args::Capture;
use crate::{exit, find};

/// Captures the frames at an interface until Ctrl-C, the end of the experiment, or the end of the
/// reader.
pub async fn capture(args: Capture) -> Result<i32> {
    let (interface, experiment) = find::split_at(&args.interface);
    let client = find::client(experiment, &args.scenario).await?;
    let path = format!("/capture?interface={interface}&drops={}", args.drops);
    let mut body = client.stream(&path).await?;
    let mut output: Box<dyn Write> = if args.write == Path::new("-") {
        Box::new(io::stdout())
    } else {
        let file = File::create(&args.write)
            .with_context(|| format!("cannot make {}", args.write.display()))?;
        eprintln!("capturing at {interface} into {}; Ctrl-C ends", args.write.display());
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
