// The floor: an agent's loop on undici and the MCP client with nothing around it. It has no limits, no retries, no trace, no store
// and no permissions, so it is what a question costs at least with these packages.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Pool } from "undici";

/** Opens the loop for a model on OpenAI's chat wire at `url`, with the tools of the MCP server that `tools` starts. */
export async function openFloor(url, tools) {
  const client = new Client({ name: "floor", version: "0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StdioClientTransport({ ...tools, stderr: "ignore" }));
  const offered = (await client.listTools()).tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 128, pipelining: 1 });
  const path = `${pathname}/chat/completions`;
  const headers = { "content-type": "application/json", authorization: "Bearer k" };
  // What all requests begin with is made once.
  const head = `${JSON.stringify({ model: "m", stream: true, stream_options: { include_usage: true }, tools: offered }).slice(0, -1)},"messages":`;

  async function turn(messages, onText) {
    const calls = [];
    let text = "";
    const read = readEvents(({ choices: [choice] }) => {
      const { content, tool_calls: parts } = choice?.delta ?? {};
      if (content) {
        text += content;
        onText(content);
      }
      for (const { index, id, function: part } of parts ?? []) {
        calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
        calls[index].function.arguments += part.arguments ?? "";
      }
    });
    const body = `${head}${JSON.stringify(messages)}}`;
    const { statusCode, body: answer } = await pool.request({ path, method: "POST", headers, body });
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
    answer.on("data", read);
    await new Promise((resolve, reject) => answer.on("end", resolve).on("error", reject));
    return { text, calls };
  }

  return {
    async ask(question, onText = () => {}) {
      const messages = [
        { role: "system", content: "You are a helpful assistant. Use the tools when they help." },
        { role: "user", content: question },
      ];
      for (;;) {
        const { text, calls } = await turn(messages, onText);
        if (calls.length === 0) return text;
        messages.push({ role: "assistant", content: text || null, tool_calls: calls });
        const results = await Promise.all(calls.map((call) => run(call.function)));
        for (const [index, content] of results.entries())
          messages.push({ role: "tool", tool_call_id: calls[index].id, content });
      }
    },
    async close() {
      await client.close();
      await pool.close();
    },
  };

  async function run({ name, arguments: args }) {
    const { content } = await client.callTool({ name, arguments: JSON.parse(args) });
    return content.map((part) => part.text ?? "").join("\n");
  }
}

/** Reads the events of a stream as they come. */
function readEvents(onEvent) {
  const decoder = new TextDecoder();
  let held = "";
  return (bytes) => {
    held += decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n", from)) {
      const line = held.slice(from, end);
      if (line.startsWith("data: ") && line !== "data: [DONE]") onEvent(JSON.parse(line.slice(6)));
      from = end + 1;
    }
    held = held.slice(from);
  };
}
