import type {
  CallToolRequest,
  CallToolResult,
  ListToolsRequest,
  McpServer,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** The tools that the package serves itself, for somebody who adds to its list. */
export interface CapturedTools {
  readonly names: ReadonlySet<string>;
  list(request: ListToolsRequest, context: ServerContext): Promise<Tool[]>;
  call(request: CallToolRequest, context: ServerContext): Promise<CallToolResult>;
}

/**
 * Registers tools with the package and takes the handlers that it sets for them: it has no other way to let somebody add tools
 * whose schemas are plain JSON, and a tool that it serves keeps its schema, its checks and its words.
 */
export function captureTools({ server }: McpServer, names: readonly string[], register: () => void): CapturedTools {
  const handlers = new Map<string, unknown>();
  const set = server.setRequestHandler;
  server.setRequestHandler = (method: string, ...rest: unknown[]): void => void handlers.set(method, rest.at(-1));
  try {
    register();
  } finally {
    server.setRequestHandler = set;
  }
  function handlerOf(method: string) {
    const handler = handlers.get(method);
    if (typeof handler !== "function") throw new Error(`The package serves no ${method}`);
    return handler;
  }
  return {
    names: new Set(names),
    async list(request, context) {
      return (await handlerOf("tools/list")(request, context)).tools;
    },
    call: async (request, context) => handlerOf("tools/call")(request, context),
  };
}
