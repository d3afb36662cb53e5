import type { Text } from "../locale.ts";

/**
 * Returns true when these words of `fetch` say that it has sent nothing because it refuses the port: its standard blocks those of mail,
 * X11 and other protocols (https://fetch.spec.whatwg.org/#port-blocking). Node and undici give this reason no code,
 * and the package for SSE puts it behind the words of its cause.
 */
export function isRefusedPort(message: string): boolean {
  return /(^|: )bad port$/.test(message);
}

/** Says which port of the address is refused. None of these ports is the default of http or https, so the address names it. */
export function describeRefusedPort(address: string): Text {
  const { port } = new URL(address);
  return {
    zh: `端口 ${port} 被视为不安全，fetch 拒绝连接`,
    en: `port ${port} is refused as unsafe by fetch`,
  };
}

/** Says what to do about a refused port. */
export const changePort: Text = {
  zh: "请让该服务改用其他端口，例如 8080。",
  en: "Let the server listen at another port, such as 8080.",
};
