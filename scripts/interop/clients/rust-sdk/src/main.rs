// Plays a scenario with the code of the page (duet.rs).
mod duet;

use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::{Value, json};
use std::env;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::main]
async fn main() {
    let scenario = env::args().last().unwrap_or_default();
    let mut line = json!({ "scenario": scenario });
    if let Err(error) = play(&scenario, &mut line).await {
        line["error"] = json!(format!("{error:#}"));
    }
    println!("{line}");
}

async fn play(scenario: &str, line: &mut Value) -> anyhow::Result<()> {
    let session = duet::open().await?;
    let question = env::var("DUET_QUESTION")?;
    match scenario {
        "lists" => {
            let tools = session.list_all_tools().await?;
            line["tools"] = tools.iter().map(|tool| tool.name.to_string()).collect();
            session.list_all_resources().await?;
            session.list_all_prompts().await?;
        }
        "cancel" => {
            tokio::select! {
                result = duet::ask(&session, &question) => record_result(&result?, line),
                begun = wait_for("INTEROP_STARTED") => begun?,
            }
            wait_for("INTEROP_ENDED").await?;
        }
        "limit" => {
            let call = to_request(json!({ "question": question }));
            record_result(&session.call_tool(call).await?, line);
        }
        _ => {
            let mut result = duet::ask(&session, &question).await?;
            if let Some(token) = read_token(&read_text(&result)) {
                let call = to_request(json!({ "question": "yes", "confirmation": token }));
                result = session.call_tool(call).await?;
            }
            record_result(&result, line);
        }
    }
    session.cancel().await?;
    Ok(())
}

fn to_request(arguments: Value) -> CallToolRequestParams {
    let mut call = CallToolRequestParams::new("agent_ask");
    call.arguments = arguments.as_object().cloned();
    call
}

fn record_result(result: &CallToolResult, line: &mut Value) {
    line["text"] = json!(read_text(result));
    line["structured"] = json!(result.structured_content);
}

fn read_text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn read_token(text: &str) -> Option<&str> {
    text.split_once("\"confirmation\":\"")?.1.split('"').next()
}

/// Waits until the runner answers a GET of the address in this variable.
async fn wait_for(name: &str) -> anyhow::Result<()> {
    let address = env::var(name)?;
    let (host, path) = address.trim_start_matches("http://").split_once('/').unwrap_or_default();
    let mut connection = TcpStream::connect(host).await?;
    connection.write_all(format!("GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).await?;
    connection.read_to_end(&mut Vec::new()).await?;
    Ok(())
}
