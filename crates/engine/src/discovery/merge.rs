//! The other way to sort a poset, for comparison: merge sort with peeling (Daskalakis, Karp, Mossel, Riesenfeld &
//! Verbin, *Sorting and selection in posets*, SODA 2009).
//!
//! Each half is sorted into a chain decomposition; together they have up to 2w chains, which are *peeled* down to
//! w: while two of the chains' tops are comparable, the greater one is dislodged, with a link to the smaller.
//! Where a chain runs empty, the links join what was dislodged to the other chains, and one chain less is left.
//! Where no two tops are comparable, they are an antichain of as many elements as there are chains, so that no
//! fewer would do. O(w²·n·log(n/w)) time in all.
//!
//! The result is a decomposition into as few chains as there can be, with which the order is found again by binary
//! search: for each element and chain, the place of the least element above it.

use std::collections::BTreeMap;

/// Chains, each ascending, as few as possible.
pub fn decompose(elements: &[usize], below: &mut dyn FnMut(usize, usize) -> bool) -> Vec<Vec<usize>> {
    match elements {
        [] => Vec::new(),
        [single] => vec![vec![*single]],
        _ => {
            let (left, right) = elements.split_at(elements.len() / 2);
            let mut chains = decompose(left, below);
            chains.extend(decompose(right, below));
            while let Some(fewer) = peel(&chains, below) {
                chains = fewer;
            }
            chains
        }
    }
}

/// Who is above whom in other chains: with the chains themselves, a base of the order.
pub fn neighbours(chains: &[Vec<usize>], below: &mut dyn FnMut(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (own, chain) in chains.iter().enumerate() {
        for &element in chain {
            for (_, other) in chains.iter().enumerate().filter(|(c, _)| *c != own) {
                let place = other.partition_point(|&o| !below(element, o));
                pairs.extend(other.get(place).map(|&above| (element, above)));
            }
        }
    }
    pairs
}

/// The elements of the chains in one chain less, if that is possible.
fn peel(chains: &[Vec<usize>], below: &mut dyn FnMut(usize, usize) -> bool) -> Option<Vec<Vec<usize>>> {
    // How many elements of each chain are left, and for what was dislodged, chain and place of what it was linked
    // to.
    let mut left: Vec<usize> = chains.iter().map(Vec::len).collect();
    let mut links: Vec<Vec<(usize, usize)>> = chains.iter().map(|c| vec![(0, 0); c.len()]).collect();
    let mut fresh: Vec<usize> = (0..chains.len()).collect();
    while let Some(a) = fresh.pop() {
        for b in 0..chains.len() {
            if a == b {
                continue;
            }
            let (x, y) = (chains[a][left[a] - 1], chains[b][left[b] - 1]);
            let (greater, smaller) = match () {
                _ if below(y, x) => (a, b),
                _ if below(x, y) => (b, a),
                _ => continue,
            };
            left[greater] -= 1;
            links[greater][left[greater]] = (smaller, left[smaller] - 1);
            if left[greater] == 0 {
                return Some(join(chains, &links, greater));
            }
            fresh.push(greater);
            if greater == a {
                break;
            }
        }
    }
    None
}

/// Hangs the least element of the empty chain on what it was linked to; what was above that there, on what it was
/// linked to; and so on, up to an element that nothing was above. Links were made earlier and earlier, so this
/// ends.
fn join(chains: &[Vec<usize>], links: &[Vec<(usize, usize)>], empty: usize) -> Vec<Vec<usize>> {
    let pairs = chains.iter().flat_map(|chain| chain.windows(2).map(|pair| (pair[0], pair[1])));
    let mut above: BTreeMap<usize, usize> = pairs.collect();
    let (mut hung, mut link) = (chains[empty][0], links[empty][0]);
    loop {
        let (chain, place) = link;
        above.insert(chains[chain][place], hung);
        match chains[chain].get(place + 1) {
            None => break,
            Some(&loose) => (hung, link) = (loose, links[chain][place + 1]),
        }
    }
    let bottoms = chains.iter().enumerate().filter(|(c, _)| *c != empty).map(|(_, chain)| chain[0]);
    bottoms.map(|bottom| std::iter::successors(Some(bottom), |e| above.get(e).copied()).collect()).collect()
}
