// A frontend over `voyageur engine` in Node, without dependencies: a whole match of The Yellow House, in which seat 0
// plays by chance and seat 1 is the engine, bound to what seat 1 can see.
//
//     node examples/frontend.mjs [NODES] [COMMAND ...]      default: 2000 voyageur engine

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [nodes = "2000", ...given] = process.argv.slice(2);
const [command, ...args] = given.length ? given : ["voyageur", "engine"];
const engine = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

// Answers may come in any order: each finds the promise of its query by the id.
const waiting = new Map();
let asked = 0;
createInterface({ input: engine.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  if (answer.partial) return;
  const { resolve, reject } = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("error" in answer) reject(new Error(answer.error));
  else resolve(answer);
});

function ask(action, fields) {
  const id = ++asked;
  engine.stdin.write(JSON.stringify({ id, action, ...fields }) + "\n");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

async function byChance(position) {
  const { moves } = await ask("moves", { position, viewer: 0 });
  return moves[Math.floor(Math.random() * moves.length)].move;
}

async function byEngine(position) {
  return (await ask("move", { position, viewer: 1, limit: { nodes: Number(nodes) } })).move;
}

let now = await ask("new", { game: "yellowhouse" });
while (now.to_act !== null) {
  const { position, to_act: seat } = now;
  let move;
  if (seat === "all") {
    const [mine, theirs] = await Promise.all([byChance(position), byEngine(position)]);
    move = { 0: mine, 1: theirs };
  } else {
    move = await (seat === 0 ? byChance : byEngine)(position);
  }
  console.log(`round ${position.round}, seat ${seat}: ${typeof move === "string" ? move : Object.values(move).join(" / ")}`);
  now = await ask("apply", { position, moves: [move] });
}
engine.stdin.end();
console.log(now.returns[0] > 0 ? "chance won" : "the engine won");
