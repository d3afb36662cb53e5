// Stands in for the index of undici in the bundle: what Duet imports of it, alone. The index also runs the parts for mocks, caches,
// WebSockets and `fetch`, which took half of its 55 ms of processor time in each process that asks a model.
import api from "undici/lib/api/index.js";
import errors from "undici/lib/core/errors.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Client from "undici/lib/dispatcher/client.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";

Object.assign(Dispatcher.prototype, api);

export { Agent, Client, errors, Pool, ProxyAgent };

/** Takes an address without credentials, and sends to the dispatcher that all share where none is given. */
export function request(address, { dispatcher = require("undici/lib/global.js").getGlobalDispatcher(), ...options }) {
  const { origin, pathname, search } = new URL(address);
  return api.request.call(dispatcher, { ...options, origin, path: `${pathname}${search}` });
}

export function fetch(...given) {
  return require("undici/lib/web/fetch/index.js").fetch(...given);
}
