import { type AgentOptions, Agent as HttpAgent, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from "node:https";
import type { SecureContext } from "node:tls";
import { toDialTarget } from "./dial-target.ts";

/** Says how requests to one URL are sent with Node's `http` and `https`. */
export interface HttpTarget {
  /** Is true when its requests go over TLS, be it only to a proxy. */
  isSecure: boolean;
  /** Holds what all its requests have: whom they go to, and what they ask for. */
  options: HttpTargetOptions;
  /** Creates what makes its connections, and keeps them where the options say so. */
  createAgent(options: AgentOptions): HttpAgent;
  /** Returns what a failure of a request is reported as. It is reported as it is when absent. */
  explainFailure?(failure: Error, isConnected: boolean): Error;
  /** Returns the error that a status of a response stands for, and undefined where it is the answer of the server. */
  explainStatus?(status: number): Error | undefined;
}

export interface HttpTargetOptions extends RequestOptions {
  headers?: Record<string, string>;
  /** Is the name that TLS asks for and checks; empty for none. Node takes that of the `host` header when absent. */
  servername?: string;
  /** Aborts when the request is given up. Agents that open a tunnel for it heed this; Node does not pass `signal` to agents. */
  tunnelSignal?: AbortSignal;
}

/** Opens a target that is called directly. TLS trusts the usual certificates where `secureContext` is absent. */
export function openDirectTarget(url: URL, secureContext?: SecureContext): HttpTarget {
  const isSecure = url.protocol === "https:";
  const { host, port } = toDialTarget(url);
  return {
    isSecure,
    options: { host, port, path: `${url.pathname}${url.search}` },
    createAgent: (options) => (isSecure ? new HttpsAgent(addSecurity(options, secureContext)) : new HttpAgent(options)),
  };
}

/** Adds what the TLS connections of an agent trust and speak. */
export function addSecurity(options: AgentOptions, secureContext: SecureContext | undefined): HttpsAgentOptions {
  return { ...options, ALPNProtocols: ["http/1.1"], ...(secureContext && { secureContext }) };
}
