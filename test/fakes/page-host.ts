import { createContext, runInContext } from "node:vm";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppBridge, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { parseHTML } from "linkedom";
import { onTestFinished } from "vitest";
import { patienceMs } from "../runner/patience.ts";

export interface PageHost {
  /** The host's side, by the official package. */
  readonly bridge: AppBridge;
  readonly document: PageDocument;
  /** Links that the page had opened. */
  readonly opened: string[];
  /** Resolves as soon as the page shows what is wanted; rejects with the page's text where that never comes. */
  shows(wanted: (text: string) => boolean): Promise<void>;
  click(element: PageElement | null): void;
}

/** What tests look at of a page: this program has no types of browsers. */
export interface PageElement {
  readonly nodeType: number;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  dispatchEvent(event: unknown): boolean;
}

export interface PageDocument {
  readonly body: PageElement;
  readonly documentElement: PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

export interface PageHostOptions {
  html: string;
  /** Connected to the server whose page it is. */
  client: Client;
  context?: McpUiHostContext;
  /** What the browser says of its user. */
  language?: string;
}

/** A host that shows a page as the specification has it: the real script in a DOM, messages by structured clone. */
export async function showPage({ html, client, context = {}, language = "en" }: PageHostOptions): Promise<PageHost> {
  const { document } = parseHTML(html);
  const opened: string[] = [];
  const inside = new EventTarget();
  const parent = { postMessage: (message: JSONRPCMessage) => transport.onmessage?.(structuredClone(message)) };
  const window = Object.assign(inside, { parent, document, navigator: { language } });

  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      const event = Object.assign(new Event("message"), { data: structuredClone(message), source: parent });
      inside.dispatchEvent(event);
    },
  };
  const bridge = new AppBridge(
    client,
    { name: "host", version: "1" },
    { openLinks: {}, serverTools: {} },
    { hostContext: context },
  );
  bridge.onopenlink = async ({ url }) => {
    opened.push(url);
    return {};
  };
  const ready = Promise.withResolvers<void>();
  bridge.oninitialized = () => ready.resolve();
  await bridge.connect(transport);

  const script = document.querySelector("script")?.textContent ?? "";
  const { setTimeout, clearTimeout, setInterval, clearInterval, performance, URL, AbortController } = globalThis;
  const world = {
    window,
    document,
    navigator: window.navigator,
    setTimeout,
    setInterval,
    clearInterval,
    performance,
    clearTimeout,
    URL,
    AbortController,
  };
  runInContext(script, createContext(world));
  await ready.promise;
  onTestFinished(async () => {
    await bridge.teardownResource({});
    await bridge.close();
  });
  return {
    bridge,
    document,
    opened,
    shows: (wanted) => shown(document, wanted),
    click: (element) => void element?.dispatchEvent(new document.defaultView.Event("click", { cancelable: true })),
  };
}

function shown(document: PageDocument, wanted: (text: string) => boolean): Promise<void> {
  const visible = (): string => textOf(document.body);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new Error(`the page shows: ${visible()}`)), patienceMs);
    const look = setInterval(() => wanted(visible()) && end(), 10);
    function end(error?: Error): void {
      clearTimeout(timer);
      clearInterval(look);
      if (error) reject(error);
      else resolve();
    }
  });
}

/** The text that is not hidden. */
function textOf(node: PageElement): string {
  if (node.nodeType === 3) return node.textContent ?? "";
  if (node.nodeType === 1 && node.hasAttribute("hidden")) return "";
  return [...node.childNodes].map(textOf).join(" ");
}
