//! Values of arguments, as people write them.

pub(super) fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(time) if time.is_finite() => Ok(time),
        _ => Err("a time is a number of seconds, as in 0.5".to_owned()),
    }
}

pub(super) fn parse_jobs(text: &str) -> Result<std::num::NonZeroUsize, String> {
    text.trim().parse().map_err(|_| "a number of threads, 1 or more".to_owned())
}

#[cfg(feature = "render")]
pub(super) fn parse_fps(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(fps) if (0.1..=1000.0).contains(&fps) => Ok(fps),
        _ => Err("a number of frames a second from 0.1 to 1000, as in 25".to_owned()),
    }
}

#[cfg(feature = "render")]
pub(super) fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=8192).contains(side));
    text.split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| "width and height in pixels, from 1 to 8192, as in 640x480".to_owned())
}

pub(super) fn parse_tolerance(text: &str) -> Result<f32, String> {
    match text.trim().parse::<f32>() {
        Ok(tolerance) if tolerance >= 0.0 && tolerance.is_finite() => Ok(tolerance),
        _ => Err("a number of millimetres, as in 0.5".to_owned()),
    }
}

pub(super) fn parse_vertices(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        _ => text.parse().map_err(|_| "a number of vertices, or `all`".to_owned()),
    }
}
