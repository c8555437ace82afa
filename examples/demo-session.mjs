// The session of `npm start`: who works, with which tools, and how the work ends.
export default {
  tier: "lead",
  controlTools: ["delegate", "complete"],
  tiers: {
    lead: { system: "You are an agent that uses tools.", tools: ["calculator", "read_file", "delegate", "complete"] },
    scout: { description: "looks at the weather", system: "You look at the weather.", tools: ["weather"] },
  },
};
