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
    const secure = protocol === 'https:';
    const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80) };
    const finish = socket => {
        const end = secure
            ? require('tls').connect({ socket, servername: servername || to.host, ALPNProtocols: ['http/1.1'] })
            : socket;
        end.once(secure ? 'secureConnect' : 'connect', () => done(null, end)).once('error', done);
        if (!secure && !socket.connecting) {
            done(null, socket);
        }
    };
    if (direct(to.host)) {
        finish(require('net').connect(to));
        return;
    }
    const proxy = new URL(process.env.HTTPS_PROXY);
    require('http')
        .request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${hostname}:${to.port}` })
        .once('connect', (answer, socket) =>
            answer.statusCode === 200 ? finish(socket) : done(new Error(answer.statusMessage)))
        .once('error', done)
        .end();
}

function direct(host) {
    return !process.env.HTTPS_PROXY || (process.env.NO_PROXY || '').split(',').includes(host);
}
