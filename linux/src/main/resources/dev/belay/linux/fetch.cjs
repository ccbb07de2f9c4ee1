// Lets fetch use the proxy of the sandbox on versions of Node that know no NODE_USE_ENV_PROXY. Loaded by NODE_OPTIONS.
'use strict';

const [major, minor] = process.versions.node.split('.').map(Number);
const real = globalThis.fetch;

if (real && (major < 22 || major === 23 || (major === 22 && minor < 21))) {
    globalThis.fetch = function fetch(resource, options) {
        globalThis.fetch = real;
        useProxy();
        return real(resource, options);
    };
}

function useProxy() {
    const dispatcher = Symbol.for('undici.globalDispatcher.1');
    real('data:,').catch(() => {}); // loads Node's HTTP client, which sets the dispatcher
    const Agent = globalThis[dispatcher]?.constructor;
    if (Agent?.name === 'Agent') {
        globalThis[dispatcher] = new Agent({ connect });
    }
}

function connect({ hostname, port, protocol, servername }, done) {
    const net = require('net');
    const secure = protocol === 'https:';
    const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80) };
    const name = servername || (net.isIP(to.host) ? '' : to.host);
    const ready = (socket, event) => socket.once(event, () => done(null, socket)).once('error', done);
    const encrypted = by =>
        ready(require('tls').connect({ ...to, ...by, servername: name, ALPNProtocols: ['http/1.1'] }), 'secureConnect');
    if (direct(to.host)) {
        secure ? encrypted({}) : ready(net.connect(to), 'connect');
        return;
    }
    const proxy = new URL(process.env.HTTPS_PROXY);
    require('http')
        .request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${hostname}:${to.port}` })
        .once('connect', (answer, socket) => {
            if (answer.statusCode !== 200) {
                socket.destroy();
                done(new Error(answer.statusMessage));
            } else if (secure) {
                encrypted({ socket });
            } else {
                done(null, socket);
            }
        })
        .once('error', done)
        .end();
}

function direct(host) {
    return !process.env.HTTPS_PROXY || (process.env.NO_PROXY || '').split(',').includes(host);
}
