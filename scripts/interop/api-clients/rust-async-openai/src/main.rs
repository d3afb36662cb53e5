//! Plays a scenario with the library for Rust, and prints its line. Requests and answers pass through the library's own types.
use std::env::{args, var};
use std::error::Error;

use async_openai::{Client, config::OpenAIConfig};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::StreamExt;
use serde_json::{Value, json};

type Played = Result<Value, Box<dyn Error>>;

fn get(name: &str) -> String {
    var(name).unwrap_or_default()
}

fn picture_url() -> String {
    let bytes = std::fs::read(get("DUET_PICTURE")).unwrap_or_default();
    format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes))
}

/// Is the client's tool: what it returns stands nowhere else.
fn get_weather(arguments: &Value) -> String {
    let args: Value = serde_json::from_str(arguments.as_str().unwrap_or("")).unwrap_or_default();
    if args["city"] == "Paris" { format!("18 degrees, {}", get("DUET_SECRET")) } else { format!("no such city: {args}") }
}

fn weather_tool() -> Value {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false});
    json!({"name": "get_weather", "description": "Returns the weather of a city", "parameters": parameters, "strict": true})
}

fn report_format() -> Value {
    let properties = json!({"city": {"type": "string"}, "degrees": {"type": "number"}});
    let schema = json!({"type": "object", "properties": properties, "required": ["city", "degrees"], "additionalProperties": false});
    json!({"name": "report", "schema": schema, "strict": true})
}

fn with(mut base: Value, more: Value) -> Value {
    if let (Some(fields), Value::Object(added)) = (base.as_object_mut(), more) {
        fields.extend(added);
    }
    base
}

async fn ask_chat(client: &Client<OpenAIConfig>, body: Value) -> Played {
    let answer = client.chat().create(serde_json::from_value(body)?).await?;
    Ok(serde_json::to_value(answer)?["choices"][0]["message"].clone())
}

async fn play_chat(client: &Client<OpenAIConfig>, scenario: &str) -> Played {
    let question = json!({"role": "user", "content": get("DUET_QUESTION")});
    let body = json!({"model": get("DUET_MODEL"), "messages": [question]});
    let more = match scenario {
        "stream" => {
            let mut stream = client.chat().create_stream(serde_json::from_value(body)?).await?;
            let mut pieces = Vec::new();
            while let Some(chunk) = stream.next().await {
                let text = serde_json::to_value(chunk?)?["choices"][0]["delta"]["content"].as_str().unwrap_or("").to_owned();
                pieces.extend((!text.is_empty()).then_some(text));
            }
            return Ok(json!({"text": pieces.concat(), "pieces": pieces.len()}));
        }
        "tools" => {
            let tools = json!([{"type": "function", "function": weather_tool()}]);
            let first = ask_chat(client, with(body.clone(), json!({"tools": tools}))).await?;
            let mut messages = vec![question, first.clone()];
            for call in first["tool_calls"].as_array().into_iter().flatten() {
                let content = get_weather(&call["function"]["arguments"]);
                messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
            }
            json!({"messages": messages, "tools": tools})
        }
        "images" => {
            let parts = json!([{"type": "text", "text": get("DUET_QUESTION")}, {"type": "image_url", "image_url": {"url": picture_url()}}]);
            json!({"messages": [{"role": "user", "content": parts}]})
        }
        "schema" => json!({"response_format": {"type": "json_schema", "json_schema": report_format()}}),
        _ => json!({}),
    };
    Ok(json!({"text": ask_chat(client, with(body, more)).await?["content"]}))
}

async fn ask_responses(client: &Client<OpenAIConfig>, body: Value) -> Played {
    Ok(serde_json::to_value(client.responses().create(serde_json::from_value(body)?).await?)?)
}

fn output_of(response: &Value) -> Value {
    let items = response["output"].as_array().into_iter().flatten();
    let parts = items.filter(|item| item["type"] == "message").flat_map(|item| item["content"].as_array().into_iter().flatten());
    json!({"text": parts.filter_map(|part| part["text"].as_str()).collect::<String>()})
}

async fn play_responses(client: &Client<OpenAIConfig>, scenario: &str) -> Played {
    let body = json!({"model": get("DUET_MODEL"), "input": get("DUET_QUESTION")});
    let more = match scenario {
        "stream" => {
            let mut stream = client.responses().create_stream(serde_json::from_value(body)?).await?;
            let mut pieces = Vec::new();
            while let Some(event) = stream.next().await {
                let event = serde_json::to_value(event?)?;
                if event["type"] == "response.output_text.delta" {
                    pieces.push(event["delta"].as_str().unwrap_or("").to_owned());
                }
            }
            return Ok(json!({"text": pieces.concat(), "pieces": pieces.len()}));
        }
        "tools" => {
            let tools = json!([with(weather_tool(), json!({"type": "function"}))]);
            let first = ask_responses(client, with(body.clone(), json!({"tools": tools}))).await?;
            let calls = first["output"].as_array().into_iter().flatten().filter(|item| item["type"] == "function_call");
            let outputs: Vec<Value> = calls
                .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": get_weather(&call["arguments"])}))
                .collect();
            json!({"input": outputs, "previous_response_id": first["id"], "tools": tools})
        }
        "images" => {
            let image = json!({"type": "input_image", "image_url": picture_url(), "detail": "auto"});
            let parts = json!([{"type": "input_text", "text": get("DUET_QUESTION")}, image]);
            json!({"input": [{"type": "message", "role": "user", "content": parts}]})
        }
        "schema" => json!({"text": {"format": with(report_format(), json!({"type": "json_schema"}))}}),
        _ => json!({}),
    };
    Ok(output_of(&ask_responses(client, with(body, more)).await?))
}

async fn play(row: &str, scenario: &str) -> Played {
    let config = OpenAIConfig::new().with_api_base(get("OPENAI_BASE_URL")).with_api_key("none");
    let client = Client::with_config(config);
    if row == "chat" { play_chat(&client, scenario).await } else { play_responses(&client, scenario).await }
}

async fn wait_for(name: &str) {
    let _ = reqwest::get(get(name)).await;
}

#[tokio::main]
async fn main() {
    let given: Vec<String> = args().collect();
    let [.., row, scenario] = given.as_slice() else { return };
    let played = match scenario.as_str() {
        "cancel" => {
            // What loses is dropped, which is how Rust cancels.
            let played = tokio::select! {
                played = play(row, "stream") => played,
                () = wait_for("INTEROP_STARTED") => Ok(json!({})),
            };
            wait_for("INTEROP_ENDED").await;
            played
        }
        "errors" => play(row, "plain").await,
        name => play(row, name).await,
    };
    let name = if scenario == "errors" { "failed" } else { "error" };
    let line = played.unwrap_or_else(|error| json!({name: error.to_string()}));
    println!("{}", with(line, json!({"scenario": scenario})));
}
