# The program with z3, so that integers and reals are decided at once:
#   docker build -t buttress .
#   docker run --rm -v "$PWD:/work" buttress check model.lus
FROM rust:1.95-bookworm AS build
WORKDIR /buttress
COPY . .
RUN cargo build --release --locked -p buttress-cli
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip \
    && python3 scripts/get-solvers /solvers

FROM debian:bookworm-slim
COPY --from=build /buttress/target/release/buttress /usr/local/bin/buttress
COPY --from=build /solvers/z3 /usr/local/bin/z3
COPY --from=build /buttress/LICENSE-MIT /buttress/LICENSE-APACHE /usr/local/share/doc/buttress/
WORKDIR /work
ENTRYPOINT ["buttress"]
