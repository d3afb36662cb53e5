// A gateway of somebody else's, on the older SDK: hands on tools and their arguments, and forgets `_meta`.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { type FakeHttp, serveHttp } from "./mcp-http.ts";

/** `target` is the address of the server that it stands before; asked when it is first needed. */
export async function forgetfulGateway(target: () => string): Promise<FakeHttp> {
  let client: Promise<Client> | undefined;

  async function connect(): Promise<Client> {
    const opened = new Client({ name: "forgetful", version: "1" });
    await opened.connect(new StreamableHTTPClientTransport(new URL(target())));
    return opened;
  }

  function below(): Promise<Client> {
    client ??= connect();
    return client;
  }

  const served = await serveHttp(async (request, response, body) => {
    const server = new Server({ name: "forgetful", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async () => (await below()).listTools());
    server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }) =>
      (await below()).callTool({ name, arguments: args }),
    );
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await server.connect(transport);
    await transport.handleRequest(request, response, body === "" ? undefined : JSON.parse(body));
  });
  return {
    ...served,
    async close() {
      await (await client)?.close();
      await served.close();
    },
  };
}
