//! The kernel's TAP device. Not here: creating and configuring one.
//!
//! Frames that the interface's owner sends faster than the engine reads wait in the device's
//! transmit queue (`txqueuelen`, 1000 frames). If it is full, the kernel drops frames, and counts
//! them as `tx_dropped` of the interface.
//!
//! Reads and writes go to the kernel directly (`rustix`), see `writing`.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use rustix::io::{Errno, readv};

use crate::arrival_stamp::ArrivalStamp;
use crate::writing::write_frame;
use crate::{
    Capabilities, Carrier, DevicePlace, Frame, FrameBuffer, FrameDevice, Offload, SendError,
};

nix::ioctl_write_ptr!(tun_set_carrier, b'T', 226, libc::c_int);
nix::ioctl_none!(tun_network_namespace, b'T', 227);
// The kernel writes an `ifreq`, although the request has the size of an integer.
nix::ioctl_read_bad!(
    tun_interface,
    nix::request_code_read!(b'T', 210, size_of::<libc::c_uint>()),
    libc::ifreq
);

/// A TAP device, by the descriptor that holds its far end.
#[derive(Debug)]
pub struct Tap {
    fd: Arc<OwnedFd>,
    stamp: Option<ArrivalStamp>,
    /// Work that it can do.
    offload: Offload,
}

impl Tap {
    /// Takes over `fd`, which must be attached to a device (`IFF_TAP | IFF_NO_PI | IFF_VNET_HDR`,
    /// 10-byte virtio-net header) and non-blocking.
    pub fn from_fd(fd: OwnedFd) -> Self {
        let stamp = ArrivalStamp::attach(fd.as_fd());
        Self { fd: Arc::new(fd), stamp, offload: Offload::Segmentation }
    }

    /// Takes over `fd` like [`from_fd`](Self::from_fd), for a device whose interface gets each
    /// frame as on a wire.
    pub fn of_wire_frames(fd: OwnedFd) -> Self {
        Self { offload: Offload::None, ..Self::from_fd(fd) }
    }

    /// Takes over `fd` like [`from_fd`](Self::from_fd), for a device whose interface must not get
    /// super-frames.
    pub fn of_single_frames(fd: OwnedFd) -> Self {
        Self { offload: Offload::Checksum, ..Self::from_fd(fd) }
    }
}

impl FrameDevice for Tap {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.fd.as_fd())
    }

    #[inline]
    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        let (head, tail) = into.room();
        let mut room = [IoSliceMut::new(head), IoSliceMut::new(tail)];
        loop {
            match readv(&self.fd, &mut room) {
                Ok(bytes) => {
                    into.set_filled(bytes);
                    return Ok(true);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if let Some(stamp) = &self.stamp {
                        stamp.clear();
                    }
                    return Ok(false);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn knows_arrivals(&self) -> bool {
        self.stamp.is_some()
    }

    #[inline]
    fn take_arrival(&mut self) -> Option<u64> {
        self.stamp.as_ref()?.take()
    }

    #[inline]
    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        write_frame(&self.fd, frame).map_err(refusal)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { offload: self.offload }
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        Some(Box::new(TapCarrier(Arc::clone(&self.fd))))
    }
}

/// The meaning of an error of a write.
pub(crate) fn refusal(errno: Errno) -> SendError {
    match errno {
        Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM => SendError::Full,
        Errno::IO => SendError::InterfaceDown,
        Errno::BADFD | Errno::BADF => SendError::Gone(errno.into()),
        errno => SendError::Rejected(errno.into()),
    }
}

/// The carrier of a TAP.
struct TapCarrier(Arc<OwnedFd>);

impl Carrier for TapCarrier {
    fn set(&self, up: bool) -> io::Result<()> {
        set_carrier(&self.0, up)
    }

    fn place(&self) -> io::Result<Option<DevicePlace>> {
        let fd = self.0.as_raw_fd();
        // SAFETY: all bytes of an `ifreq` may be zero.
        let mut interface: libc::ifreq = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, and the structure lives through the call.
        unsafe { tun_interface(fd, &raw mut interface) }?;
        let name = interface.ifr_name.iter().take_while(|byte| **byte != 0);
        let name = name.map(|byte| byte.cast_unsigned()).collect();
        let name = String::from_utf8(name).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open, and the request has no argument.
        let namespace = unsafe { tun_network_namespace(fd) }?;
        // SAFETY: the kernel has just made this descriptor for us.
        let namespace = unsafe { OwnedFd::from_raw_fd(namespace) };
        Ok(Some(DevicePlace { name, namespace }))
    }
}

pub(crate) fn set_carrier(fd: impl AsFd, up: bool) -> io::Result<()> {
    let on = libc::c_int::from(up);
    // SAFETY: the descriptor is open, and the kernel only reads the integer that the pointer names.
    unsafe { tun_set_carrier(fd.as_fd().as_raw_fd(), &on) }?;
    Ok(())
}
