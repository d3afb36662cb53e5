import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { pixel } from "./fixture-content.ts";

export function addResources(server: McpServer): void {
  const plain = { description: "A text.", mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  const picture = { description: "A picture.", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", picture, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: pixel }],
  }));
  server.registerResource("watched", "test://watched-resource", plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "Watched." }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const json = { description: "The data of an id.", mimeType: "application/json" };
  server.registerResource("template", template, json, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: "application/json", text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
  }));
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
    server.server.setRequestHandler(method, () => ({}));
}
