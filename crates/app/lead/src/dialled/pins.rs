//! Who is at the other end. Each side makes a key and a certificate of its own, which live as long
//! as it, and takes no other one than that whose fingerprint it was told. There are no names,
//! dates, authorities or secrets to hand over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use sha2::{Digest, Sha256};

/// The name in certificates, which nobody reads.
pub const NAME: &str = "netloom";

/// Who may be at the other end: names by fingerprints.
#[derive(Debug, Clone, Default)]
pub struct Known(Arc<Mutex<HashMap<String, String>>>);

impl Known {
    /// Takes a certificate from now on.
    pub fn add(&self, fingerprint: String, name: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(fingerprint, name);
    }

    /// Returns whose certificate this is.
    pub fn name(&self, certificate: &[u8]) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&fingerprint(certificate)).cloned()
    }
}

/// Returns the SHA-256 of a certificate, in hexadecimal digits.
fn fingerprint(certificate: &[u8]) -> String {
    Sha256::digest(certificate).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A certificate and its key.
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Makes a key that nobody has.
    pub fn new() -> Result<Self> {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]);
        let made = made.context("cannot make a certificate")?;
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        Ok(Self { certificate: made.cert.into(), key: key.into() })
    }

    /// Returns the fingerprint of the certificate.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.certificate)
    }

    /// Returns how others are let in.
    pub fn server(self, known: Known) -> Result<ServerConfig> {
        let pinned = Arc::new(Pinned::to(known));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&pinned.provider))
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(pinned)
            .with_single_cert(vec![self.certificate], self.key)?;
        config.send_tls13_tickets = 0;
        Ok(config)
    }

    /// Returns how another one is dialled.
    pub fn client(self, known: Known) -> Result<ClientConfig> {
        let pinned = Arc::new(Pinned::to(known));
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&pinned.provider))
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(pinned)
            .with_client_auth_cert(vec![self.certificate], self.key)?;
        config.resumption = Resumption::disabled();
        Ok(config)
    }
}

/// Takes the certificates that are known, from whoever has their keys.
#[derive(Debug)]
struct Pinned {
    known: Known,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn to(known: Known) -> Self {
        Self { known, provider: Arc::new(ring::default_provider()) }
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let refused = CertificateError::ApplicationVerificationFailure;
        self.known.name(certificate).map(drop).ok_or_else(|| refused.into())
    }

    fn has_key(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// TLS 1.2 is not built in.
fn never() -> Result<HandshakeSignatureValid, Error> {
    Err(Error::General("only TLS 1.3 is spoken here".into()))
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        never()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.has_key(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        never()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.has_key(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}
