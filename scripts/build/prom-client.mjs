// What is used of prom-client: its index would load its own collectors too, and with them packages that cannot be bundled.
export { default as Counter } from "../../node_modules/prom-client/lib/counter.js";
export { default as Gauge } from "../../node_modules/prom-client/lib/gauge.js";
export { default as Histogram } from "../../node_modules/prom-client/lib/histogram.js";
export { default as Registry } from "../../node_modules/prom-client/lib/registry.js";
