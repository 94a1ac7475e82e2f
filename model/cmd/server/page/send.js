/** Sends a request to the server, as fetch does. In a static site, another file of this name answers it. */
export const send = (path, options) => fetch(path, options);
