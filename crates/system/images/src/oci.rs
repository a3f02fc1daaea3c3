//! OCI layouts, as made by `skopeo copy docker://debian oci:debian` and
//! `podman save --format oci-dir`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::unpack::{open, unpack};
use crate::{ImageError, digest};

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const DOCKER_LAYER: &str = "application/vnd.docker.image.rootfs.diff.tar";

#[derive(Deserialize)]
struct Index {
    manifests: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Manifest {
    layers: Vec<Descriptor>,
    config: Option<Descriptor>,
}

#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    config: Execution,
}

#[derive(Default, Deserialize)]
struct Execution {
    #[serde(default, rename = "Env")]
    env: Option<Vec<String>>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: String,
    digest: String,
    #[serde(default)]
    platform: Option<Platform>,
}

#[derive(Clone, Deserialize)]
struct Platform {
    architecture: String,
}

/// An image of a layout: the manifest for this machine.
pub(crate) struct Image {
    layout: PathBuf,
    digest: String,
    layers: Vec<Descriptor>,
    variables: Vec<(String, String)>,
}

impl Image {
    /// Reads the manifest of the one image of a layout.
    pub fn read(layout: &Path) -> Result<Self, ImageError> {
        let mut file = layout.join("index.json");
        loop {
            let index: Index = parse(&file)?;
            let chosen = choose(&index, &file)?;
            let (path, digest) = blob(layout, &chosen.digest)?;
            if chosen.media_type.contains("index") || chosen.media_type.contains("manifest.list") {
                file = path;
                continue;
            }
            let manifest: Manifest = parse(&path)?;
            let variables = match manifest.config {
                Some(config) => variables(&blob(layout, &config.digest)?.0)?,
                None => vec![],
            };
            return Ok(Self { layout: layout.into(), digest, layers: manifest.layers, variables });
        }
    }

    /// The manifest's digest, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The variables that the image sets for its programs.
    pub fn into_variables(self) -> Vec<(String, String)> {
        self.variables
    }

    /// Unpacks all layers, one over the other.
    pub fn unpack(&self, target: &Path) -> Result<(), ImageError> {
        for layer in &self.layers {
            let (path, _) = blob(&self.layout, &layer.digest)?;
            let kind = layer.media_type.as_str();
            let is_tar = [LAYER, DOCKER_LAYER].iter().any(|known| {
                kind.strip_prefix(known)
                    .is_some_and(|rest| matches!(rest, "" | "+gzip" | ".gzip" | "+zstd" | ".zstd"))
            });
            if !is_tar {
                let problem = format!(
                    "is a layer of the type `{kind}`; only tar, tar+gzip and tar+zstd can be read \
                     (`skopeo copy --dest-compress-format gzip` makes such ones)"
                );
                return Err(ImageError::malformed(&path, problem));
            }
            unpack(&path, &open(&path)?, target)?;
        }
        Ok(())
    }
}

/// The variables in an image's configuration.
fn variables(configuration: &Path) -> Result<Vec<(String, String)>, ImageError> {
    let Configuration { config } = parse(configuration)?;
    let variable = |text: String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => {
            let problem = format!("says `{text}` of a variable, where NAME=VALUE is expected");
            Err(ImageError::malformed(configuration, problem))
        }
    };
    config.env.unwrap_or_default().into_iter().map(variable).collect()
}

/// The only manifest, or the one for this machine.
fn choose<'i>(index: &'i Index, file: &Path) -> Result<&'i Descriptor, ImageError> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let fits = |entry: &&Descriptor| {
        entry.platform.as_ref().is_none_or(|platform| platform.architecture == architecture)
    };
    let mut fitting = index.manifests.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => {
            let problem = format!("lists no image for {architecture}");
            Err(ImageError::malformed(file, problem))
        }
        (Some(_), Some(_)) => {
            let problem =
                "lists several images; copy the one that is meant into a layout of its own";
            Err(ImageError::malformed(file, problem))
        }
    }
}

/// The file of a blob, after checking its contents against its digest, and the digits of the
/// digest.
fn blob(layout: &Path, digest: &str) -> Result<(PathBuf, String), ImageError> {
    let digits = digest
        .strip_prefix("sha256:")
        .filter(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let Some(digits) = digits else {
        let problem = format!("names `{digest}`, which is not a sha256 digest");
        return Err(ImageError::malformed(layout, problem));
    };
    let path = layout.join("blobs/sha256").join(digits);
    if digest::of_file(&path)? != digits.to_ascii_lowercase() {
        let problem = "is not what its digest says: the layout is damaged; copy it again";
        return Err(ImageError::malformed(&path, problem));
    }
    Ok((path, digits.to_ascii_lowercase()))
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, ImageError> {
    let text = fs::read(path).map_err(|error| ImageError::file("read", path, error))?;
    serde_json::from_slice(&text)
        .map_err(|error| ImageError::malformed(path, format!("is not as OCI has it: {error}")))
}
