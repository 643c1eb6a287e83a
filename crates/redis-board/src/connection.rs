//! Addresses of servers, and connections to them that do not wait for ever.

use std::time::Duration;

use redis::{Client, Connection, RedisResult};

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(5);

/// Nothing is said to the server yet.
pub fn client(url: &str) -> Result<Client, String> {
    if url.starts_with("rediss:") {
        // Somebody may have chosen one before; either will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    Client::open(url).map_err(|error| format!("this is no address of a Redis server: {error}"))
}

/// The name of a server, without user and password.
pub fn place(client: &Client) -> String {
    format!("redis {}", client.get_connection_info().addr())
}

pub fn connect(client: &Client) -> RedisResult<Connection> {
    let connection = client.get_connection_with_timeout(ANSWER)?;
    connection.set_read_timeout(Some(ANSWER))?;
    connection.set_write_timeout(Some(ANSWER))?;
    Ok(connection)
}
