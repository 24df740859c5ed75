// Runs in a page before its own scripts: keeps open what they would close to whoever acts for a person, who sees what is
// put into a closed shadow root.
(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(how) {
    return attach.call(this, { ...how, mode: "open" });
  };
})();
