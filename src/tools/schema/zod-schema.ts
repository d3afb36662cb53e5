// In a file of its own, so that a lazy import takes this one function of the package and not all of it.
export { toJSONSchema } from "zod";
