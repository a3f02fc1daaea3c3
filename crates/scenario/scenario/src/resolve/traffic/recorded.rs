//! Recorded frames that UDP cannot carry as they were. Not here: captures that are replayed
//! (`replay`), whose frames stay as they are.

use netloom_traffic::Model;

/// Returns how many frames of a recording are sent longer than they were, and how many in
/// fragments, if any are. Frames from `shortest` to `longest` bytes stay as they are.
pub(super) fn changed(model: &Model, (shortest, longest): (u32, u32)) -> Option<String> {
    let Model::Trace(trace) = model else { return None };
    let arrivals = trace.file.values()?.as_slice();
    let count = |is: &dyn Fn(u32) -> bool| arrivals.iter().filter(|one| is(one.bytes)).count();
    let short = count(&|bytes| bytes < shortest);
    let long = count(&|bytes| bytes > longest);
    let parts = [
        (short > 0).then(|| format!("{short} are shorter than {shortest}B and sent as that")),
        (long > 0).then(|| format!("{long} are longer than {longest}B and sent in fragments")),
    ];
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!parts.is_empty()).then(|| format!("of {} recorded frames, {parts}", arrivals.len()))
}
