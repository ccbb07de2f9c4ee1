package dev.belay.linux;

import dev.belay.Outlet;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// One descriptor of a session: the master of its terminal, or our end of one of its pipes. A terminal has a reader and
/// a writer, a pipe has one of them. The port tells epoll which events they need and passes those events on.
///
/// Everything here runs on the loop, except [#start] and what uses [#fd].
final class Port implements Loop.Source {
    private final Loop loop;
    private final LinuxProcess process;
    private final Fd fd;
    private final @Nullable OutputReader reader;
    private final @Nullable InputWriter writer;

    private long id = -1;
    /// The events that the reader and the writer need.
    private int wanted;
    /// The events that epoll was told to report.
    private int watched;

    private Port(Loop loop, LinuxProcess process, int number, @Nullable Outlet outlet, boolean writes) {
        this.loop = loop;
        this.process = process;
        this.fd = new Fd(number);
        this.reader = outlet == null ? null : new OutputReader(loop, process, this, outlet);
        this.writer = writes ? new InputWriter(loop, this, outlet == null ? null : new TypedLine()) : null;
        this.wanted = outlet == null ? 0 : Abi.EPOLLIN;
    }

    static Port terminal(Loop loop, LinuxProcess process, int number) {
        return new Port(loop, process, number, Outlet.STDOUT, true);
    }

    static Port inputPipe(Loop loop, LinuxProcess process, int number) {
        return new Port(loop, process, number, null, true);
    }

    static Port outputPipe(Loop loop, LinuxProcess process, int number, Outlet outlet) {
        return new Port(loop, process, number, outlet, false);
    }

    Fd fd() {
        return fd;
    }

    @Nullable OutputReader reader() {
        return reader;
    }

    @Nullable InputWriter writer() {
        return writer;
    }

    boolean open() {
        return !fd.closed();
    }

    /// Starts reading. The opener calls this before anything else happens to the port.
    ///
    /// @return 0, or the negated error number
    int start(Libc libc, Arena arena) {
        if (reader == null) {
            return 0;
        }
        id = loop.newId();
        watched = Abi.EPOLLIN;
        return loop.add(libc, arena, id, fd.number(), Abi.EPOLLIN, this);
    }

    @Override
    public void ready(int events) {
        if (writer != null && (events & (Abi.EPOLLOUT | Abi.EPOLLERR | Abi.EPOLLHUP)) != 0) {
            writer.ready();
        }
        if (reader != null && (events & (Abi.EPOLLIN | Abi.EPOLLHUP | Abi.EPOLLERR)) != 0) {
            reader.ready();
        }
    }

    @Override
    public void failed(Throwable cause) {
        process.portClosed(this);
    }

    /// Starts or stops waiting for an event. If it fails, nothing changes. Only one change can fail: to start waiting
    /// on a pipe that we write to.
    ///
    /// @param event EPOLLIN or EPOLLOUT
    /// @return 0, or the negated error number
    int want(int event, boolean on) {
        int before = wanted;
        wanted = on ? wanted | event : wanted & ~event;
        int result = watch();
        if (result < 0) {
            wanted = before;
        }
        return result;
    }

    /// The same for changes that the kernel never refuses.
    void mustWant(int event, boolean on) {
        int result = want(event, on);
        if (result < 0) {
            throw new IllegalStateException("epoll_ctl: " + Errno.text(-result));
        }
    }

    /// Tells epoll which events to report.
    ///
    /// Even if we ask for nothing, epoll reports a hang-up, over and over. So when nothing is wanted:
    ///
    /// - a port that reads stays in epoll, limited to one event. Adding it again later could fail for lack of memory,
    ///   and then nothing would ever read from it.
    /// - a port that only writes is removed. Adding it again can fail too, but then there is a writer to tell.
    private int watch() {
        if (wanted == watched || fd.closed()) {
            return 0;
        }
        int result = 0;
        if (reader != null && id >= 0) {
            result = loop.modify(fd.number(), wanted == 0 ? Abi.EPOLLONESHOT : wanted, id);
        } else if (wanted == 0) {
            loop.remove(fd.number(), id);
            id = -1;
        } else {
            id = loop.newId();
            result = loop.add(id, fd.number(), wanted, this);
        }
        watched = result < 0 ? watched : wanted;
        return result;
    }

    void close() {
        if (id >= 0) {
            loop.remove(fd.number(), id);
            id = -1;
            watched = 0;
        }
        fd.close(loop.libc);
        if (writer != null) {
            writer.endPending();
        }
    }
}
