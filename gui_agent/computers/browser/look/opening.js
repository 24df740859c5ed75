// Runs in a page before its own scripts and keeps closed shadow roots open for the agent, because people see their
// content too.
(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(how) {
    return attach.call(this, { ...how, mode: "open" });
  };
})();
