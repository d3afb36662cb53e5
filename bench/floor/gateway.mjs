// The floor of the gateway: a server of the official package that hands each call on to the server below with the package's client, and
// looks at nothing. `node gateway.mjs TOOL_SERVER`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [toolServer] = process.argv.slice(2);
const client = new Client({ name: "floor", version: "0" }, { versionNegotiation: { mode: "legacy" } });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [toolServer], stderr: "ignore" }));
const server = new Server({ name: "floor", version: "0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => client.listTools());
server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
await server.connect(new StdioServerTransport());
