// What the conformance suite starts: hands the task on to the process of the tests, which need not start once for each.
import { connect } from "node:net";

const [door, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
const socket = connect(door);
socket.end(JSON.stringify({ scenario, context: JSON.parse(context), url }));
socket.pipe(process.stderr);
