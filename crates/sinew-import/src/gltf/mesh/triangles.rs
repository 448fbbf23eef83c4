//! Strips and fans as plain triangles.

/// Corners of triangles, three each; none for a mode that draws no triangles.
pub(super) fn triangles(corners: &[u32], mode: u32) -> Option<Vec<u32>> {
    let mut out = match mode {
        4 => corners.to_vec(),
        5 => {
            let strip = corners.windows(3).enumerate();
            strip
                .flat_map(|(i, w)| if i.is_multiple_of(2) { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
                .collect()
        }
        6 => {
            let Some((&hub, rim)) = corners.split_first() else { return Some(Vec::new()) };
            rim.windows(2).flat_map(|w| [hub, w[0], w[1]]).collect()
        }
        _ => return None,
    };
    // What does not make a whole triangle at the end is not drawn.
    out.truncate(out.len() / 3 * 3);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::triangles;

    #[test]
    fn strips_and_fans_keep_their_front() {
        assert_eq!(triangles(&[0, 1, 2, 3], 5).unwrap(), [0, 1, 2, 2, 1, 3]);
        assert_eq!(triangles(&[0, 1, 2, 3], 6).unwrap(), [0, 1, 2, 0, 2, 3]);
        assert_eq!(triangles(&[0, 1, 2, 3], 4).unwrap(), [0, 1, 2]);
        assert_eq!(triangles(&[], 6).unwrap(), [0u32; 0]);
        assert_eq!(triangles(&[0, 1], 1), None);
    }
}
