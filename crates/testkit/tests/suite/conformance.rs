//! The conformance suites, a line for each solver and each reasoner.

use std::sync::Arc;

use buttress_query::{Bits, Levels};
use buttress_solve::{Cadical, Cdcl, Stop};
use buttress_system::BitSystem;
use buttress_testkit::{
    domains_conformance, reasoner_conformance, relative_conformance, sat_conformance, temporary_conformance,
};

sat_conformance!(cadical, |stop: &Stop| Cadical::new(stop, 0));
sat_conformance!(cadical_with_another_seed, |stop: &Stop| Cadical::new(stop, 4711));

sat_conformance!(cdcl, Cdcl::new);
temporary_conformance!(cdcl_temporary, Cdcl::new);
domains_conformance!(cdcl_domains, Cdcl::new);
sat_conformance!(cdcl_keeping, |stop: &Stop| Cdcl::new(stop).keeping_domains());
temporary_conformance!(cdcl_keeping_temporary, |stop: &Stop| Cdcl::new(stop).keeping_domains());
domains_conformance!(cdcl_keeping_domains, |stop: &Stop| Cdcl::new(stop).keeping_domains());

fn bits(system: Arc<BitSystem>) -> Bits<Cadical, impl FnMut() -> Cadical> {
    Bits::new(system, || Cadical::new(&Stop::new(), 0), &Stop::new())
}
reasoner_conformance!(bits_with_cadical, bits);

fn bits_over_cdcl(system: Arc<BitSystem>) -> Bits<Cdcl, impl FnMut() -> Cdcl> {
    Bits::new(system, || Cdcl::new(&Stop::new()), &Stop::new())
}
reasoner_conformance!(bits_with_cdcl, bits_over_cdcl);

fn levels(system: Arc<BitSystem>) -> Levels<Cdcl> {
    Levels::new(system, || Cdcl::new(&Stop::new()))
}
relative_conformance!(levels_with_cdcl, levels);
