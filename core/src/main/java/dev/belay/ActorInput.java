package dev.belay;

import dev.belay.host.TriedWrite;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What one actor types into a session: checks size and keyboard, writes at once or waits, and counts what was written.
/// Its [Session] has checked that the actor may drive the session at all.
final class ActorInput {
    private final Registry registry;
    private final LiveSession live;
    private final Actor actor;

    ActorInput(Registry registry, LiveSession live, Actor actor) {
        this.registry = registry;
        this.live = live;
        this.actor = actor;
    }

    /// Writes and waits; see [Session#write(byte[], Duration)]. Moves the buffer's position past what was written, even
    /// if it throws.
    int write(ByteBuffer bytes, Duration timeout) throws InterruptedException {
        requireTypeable(bytes);
        int start = bytes.position();
        int written;
        try {
            written = live.exit() == null ? live.process().write(bytes, timeout, this::mayType) : -1;
        } finally {
            typed(bytes.position() - start);
        }
        return answer(written);
    }

    /// Writes once per id and waits; see [Session#writeOnce].
    int writeOnce(byte[] bytes, String inputId) throws InterruptedException {
        Inputs.Written written = live.inputs.write(
                actor.name(), inputId, bytes, rest -> write(rest, registry.limits().writeTimeout()));
        if (written.repeated()) {
            registry.counters().inputsRepeated.increment();
        }
        return written.bytes();
    }

    /// Begins to write bytes without waiting; see [Session#begin].
    BegunInput begin(ByteBuffer bytes) {
        TriedWrite tried = tryWrite(bytes);
        Duration timeout = registry.limits().writeTimeout();
        if (tried == null) {
            return BegunInput.later(() -> write(bytes, timeout));
        }
        TriedWrite.Rest rest = tried.rest();
        return rest == null ? BegunInput.over(answer(tried.written())) : BegunInput.later(() -> {
            finish(bytes, rest, timeout);
            return bytes.position();
        });
    }

    /// As [#begin], once per id.
    BegunInput beginOnce(byte[] bytes, String inputId) {
        Inputs.Turn turn = live.inputs.tryBegin(actor.name(), inputId, bytes);
        if (turn == null) {
            return BegunInput.later(() -> writeOnce(bytes, inputId));
        }
        boolean over = true;
        try {
            if (turn.repeated()) {
                registry.counters().inputsRepeated.increment();
                return BegunInput.over(turn.written());
            }
            ByteBuffer buffer = turn.rest(bytes);
            TriedWrite tried = tryWrite(buffer);
            if (tried == null) {
                return BegunInput.later(() -> writeOnce(bytes, inputId));
            }
            TriedWrite.Rest rest = tried.rest();
            if (rest == null) {
                answer(tried.written());
                turn.answered();
                return BegunInput.over(buffer.position());
            }
            over = false;
            return BegunInput.later(() -> {
                try (turn) {
                    finish(buffer, rest, registry.limits().writeTimeout());
                    turn.answered();
                    return buffer.position();
                }
            });
        } finally {
            if (over) {
                turn.close();
            }
        }
    }

    /// @return null if it would have to wait
    private @Nullable TriedWrite tryWrite(ByteBuffer bytes) {
        requireTypeable(bytes);
        int start = bytes.position();
        try {
            return live.exit() == null
                    ? live.isHeard() ? live.process().tryWrite(bytes, this::mayType) : null
                    : new TriedWrite(-1, null);
        } finally {
            typed(bytes.position() - start);
        }
    }

    private void finish(ByteBuffer bytes, TriedWrite.Rest rest, Duration timeout) throws InterruptedException {
        int start = bytes.position();
        int written;
        try {
            written = rest.finish(bytes, timeout);
        } finally {
            typed(bytes.position() - start);
        }
        if (start == 0) {
            answer(written);
        }
    }

    private void typed(int bytes) {
        registry.counters().bytesWritten.add(bytes);
        if (bytes > 0) {
            live.typed(actor, bytes);
        }
    }

    private void requireTypeable(ByteBuffer bytes) {
        int most = registry.limits().maxInputBytes();
        if (bytes.remaining() > most) {
            throw new SessionException(
                    ErrorCode.TOO_LARGE,
                    "One write may have at most " + most + " bytes; split these " + bytes.remaining() + ".");
        }
        live.keyboard.requireMayType(actor);
        live.clocks.touch();
    }

    private boolean mayType() {
        return live.keyboard.mayType(actor);
    }

    /// What a write returns, or why nothing was written.
    private int answer(int written) {
        if (written < 0) {
            throw live.notWritable();
        }
        if (written == 0) {
            live.keyboard.requireMayType(actor);
        }
        return written;
    }
}
