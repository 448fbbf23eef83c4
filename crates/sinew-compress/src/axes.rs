//! The axes along which a joint turns most: a hinge becomes one number.

use sinew::glam::{DMat3, DQuat, DVec3};

/// Principal axes of points, the longest first, as a rotation.
pub(crate) fn principal(points: &[DVec3]) -> DQuat {
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut a = [[0.0; 3]; 3];
    for point in points {
        let d = (*point - mean).to_array();
        for (row, x) in a.iter_mut().zip(d) {
            row.iter_mut().zip(d).for_each(|(cell, y)| *cell += x * y);
        }
    }
    DQuat::from_mat3(&eigenvectors(a)).normalize()
}

/// Eigenvectors of a symmetric matrix by Jacobi's rotations, of the largest value first, right-handed.
fn eigenvectors(mut a: [[f64; 3]; 3]) -> DMat3 {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() < 1e-30 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = (if theta < 0.0 { -1.0 } else { 1.0 }) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let turn = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
            for row in &mut a {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = turn(a[p][k], a[q][k]);
                (v[k][p], v[k][q]) = turn(v[k][p], v[k][q]);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let column = |i: usize| DVec3::new(v[0][i], v[1][i], v[2][i]);
    let (x, y) = (column(order[0]), column(order[1]));
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_axis_comes_first() {
        let direction = DVec3::new(1.0, 2.0, -0.5).normalize();
        let points: Vec<DVec3> =
            (-10..=10).map(|i| direction * f64::from(i) * 0.01 + DVec3::ONE * 0.1).collect();
        let along = principal(&points) * DVec3::X;
        assert!(along.dot(direction).abs() > 1.0 - 1e-9);
    }
}
