import type { ServerPins } from "../../../src/client/trust/pins.ts";
import { toServerOrigin } from "../../../src/client/trust/server-origin.ts";
import type { ServerSettings } from "../../../src/config/config.ts";

export function serverNamed(name: string, args: string[] = [name]): ServerSettings {
  return {
    name,
    transport: { type: "stdio", command: "npx", args, env: {}, inheritEnv: [] },
    timeoutMs: 1000,
    startTimeoutMs: 1000,
    start: "eager",
    sampling: false,
  };
}

/** Pins long enough to be written in more than one go. */
export function versioned(server: string, version: string): ServerPins {
  const description = `${version} `.repeat(20_000);
  return {
    origin: toServerOrigin(serverNamed(server)),
    tools: [{ name: "send", description, inputSchema: { type: "object" }, annotations: {} }],
  };
}
