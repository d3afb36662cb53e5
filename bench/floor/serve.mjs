// The floor behind MCP: the loop by hand as the one tool of a server of the official package, over stdio. It sends a progress message
// for each piece of the answer. `node serve.mjs MODEL_URL TOOL_SERVER`.
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { openFloor } from "./loop.mjs";

const [url, toolServer] = process.argv.slice(2);
const { ask } = await openFloor(url, { command: process.execPath, args: [toolServer] });
const question = { type: "object", properties: { question: { type: "string" } }, required: ["question"] };
const server = new Server({ name: "floor", version: "0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({
  tools: [{ name: "agent_ask", description: "Asks the agent.", inputSchema: question }],
}));
server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
  const progressToken = params._meta?.progressToken;
  let progress = 0;
  const report = (message) => {
    progress += 1;
    mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
  const text = await ask(params.arguments.question, progressToken === undefined ? undefined : report);
  return { content: [{ type: "text", text }] };
});
await server.connect(new StdioServerTransport());
