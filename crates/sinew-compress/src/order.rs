//! Which joints lie side by side: those that need alike many bits share an octet.

use sinew::NO_JOINT;

/// An order of joints, parents first, with the neediest in front: element `i` is the old index of the joint that comes `i`-th. `bits` is what each needs.
pub fn joint_order(parents: &[u16], bits: &[f64]) -> Vec<u16> {
    // A parent comes before its children, so it counts at least as much as the neediest of them.
    let mut need = bits.to_vec();
    for joint in (0..parents.len()).rev() {
        let parent = parents[joint];
        if parent != NO_JOINT {
            let at = usize::from(parent);
            need[at] = need[at].max(need[joint]);
        }
    }
    let mut order: Vec<u16> = (0..parents.len() as u16).collect();
    // Sorting keeps the order of equals, in which parents come first.
    order.sort_by(|&a, &b| need[usize::from(b)].total_cmp(&need[usize::from(a)]));
    order
}
