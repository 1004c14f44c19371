// Where a link leads: its secret is sent once somebody wants to come in, and leaves the address.

import { ask, find } from "./pieces.js";

const HOME = { organiser: "/organise", observer: "/observe" };

find("enter").addEventListener("click", async () => {
  const link = location.hash.slice(1) || new URLSearchParams(location.search).get("link") || "";
  try {
    const { me } = await ask("/enter", {}, { link });
    location.replace(HOME[me.role] ?? "/");
  } catch (error) {
    find("said").hidden = false;
    find("said").textContent = error.message;
  }
});
