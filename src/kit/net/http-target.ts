import { type AgentOptions, Agent as HttpAgent, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from "node:https";
import type { SecureContext } from "node:tls";

/** Says how requests to one URL are sent with Node's `http` and `https`. */
export interface HttpTarget {
  /** Is true when its requests go over TLS, be it only to a proxy. */
  isSecure: boolean;
  /** Holds what all its requests have: whom they go to, and what they ask for. */
  options: RequestOptions;
  /** Is true when a connection takes a request of its own, which `tunnelSignal` among the options of a request gives up. */
  isTunnel?: true;
  /** Creates what makes its connections, and keeps them where the options say so. */
  createAgent(options: AgentOptions): HttpAgent;
  /** Returns what a failure of a request is reported as. It is reported as it is when absent. */
  explainFailure?(failure: Error, isConnected: boolean): Error;
  /** Returns the error that a status of a response stands for, and undefined where it is the answer of the server. */
  explainStatus?(status: number): Error | undefined;
}

/** Is what the agent of a tunnel is told of the request for which it makes a connection. Node keeps `signal` from agents. */
export interface TunnelOptions {
  tunnelSignal?: AbortSignal;
}

/** Opens a target that is called directly. TLS trusts the usual certificates where `secureContext` is absent. */
export function openDirectTarget(url: URL, secureContext?: SecureContext): HttpTarget {
  const isSecure = url.protocol === "https:";
  return {
    isSecure,
    options: { ...toSocketAddress(url), path: `${url.pathname}${url.search}` },
    createAgent: (options) => (isSecure ? new HttpsAgent(addSecurity(options, secureContext)) : new HttpAgent(options)),
  };
}

/** Adds what the TLS connections of an agent trust and speak. */
export function addSecurity(options: AgentOptions, secureContext: SecureContext | undefined): HttpsAgentOptions {
  return { ...options, ALPNProtocols: ["http/1.1"], ...(secureContext && { secureContext }) };
}

/** Returns whom a connection to a URL goes to. */
export function toSocketAddress({ hostname, port, protocol }: URL): { host: string; port: number } {
  const standardPort = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? standardPort : Number(port) };
}
