package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// A program for the kernel's system call filter, instruction by instruction. Jumps lead forward only, and to the next
/// answer.
final class Bpf {
    static final int ALLOW = 0x7FFF_0000;
    static final int NOTIFY = 0x7FC0_0000;
    private static final int ERRNO = 0x0005_0000;

    private static final int LOAD_WORD = 0x20;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_AT_LEAST = 0x35;
    private static final int JUMP_ANY_BIT = 0x45;
    private static final int AND = 0x54;
    private static final int RETURN = 0x06;

    // Of struct seccomp_data.
    private static final int NUMBER = 0;
    private static final int ARCH = 4;
    private static final int FIRST_ARGUMENT = 16;
    private static final int ARGUMENT_BYTES = 8;

    static final int INSTRUCTION_BYTES = 8;
    private static final int HEADER_BYTES = 16;

    private record Instruction(int code, int ifTrue, int ifFalse, int value) {}

    private final List<Instruction> program = new ArrayList<>();

    static int refuse(int errno) {
        return ERRNO | errno;
    }

    Bpf loadArch() {
        return add(LOAD_WORD, 0, 0, ARCH);
    }

    Bpf loadNumber() {
        return add(LOAD_WORD, 0, 0, NUMBER);
    }

    /// The low half of an argument.
    ///
    /// @param index 0 for the first
    Bpf loadArgument(int index) {
        return add(LOAD_WORD, 0, 0, FIRST_ARGUMENT + index * ARGUMENT_BYTES);
    }

    /// Keeps only these bits of what was loaded.
    Bpf and(int mask) {
        return add(AND, 0, 0, mask);
    }

    /// Answers if what was loaded is this value.
    Bpf ifEqual(int value, int answer) {
        return add(JUMP_EQUAL, 0, 1, value).answer(answer);
    }

    /// Answers if what was loaded is not this value.
    Bpf unlessEqual(int value, int answer) {
        return add(JUMP_EQUAL, 1, 0, value).answer(answer);
    }

    /// Answers if what was loaded is at least this value, unsigned.
    Bpf ifAtLeast(int value, int answer) {
        return add(JUMP_AT_LEAST, 0, 1, value).answer(answer);
    }

    /// Answers if what was loaded has one of these bits.
    Bpf ifAnyBit(int mask, int answer) {
        return add(JUMP_ANY_BIT, 0, 1, mask).answer(answer);
    }

    /// Goes on with another program, which must end with an answer, if what was loaded is this value.
    Bpf ifEqual(int value, Bpf then) {
        add(JUMP_EQUAL, 0, then.size(), value);
        program.addAll(then.program);
        return this;
    }

    /// Leaves out this many instructions if what was loaded is this value.
    Bpf skipIfEqual(int value, int instructions) {
        return add(JUMP_EQUAL, instructions, 0, value);
    }

    Bpf answer(int answer) {
        return add(RETURN, 0, 0, answer);
    }

    private Bpf add(int code, int ifTrue, int ifFalse, int value) {
        program.add(new Instruction(code, ifTrue, ifFalse, value));
        return this;
    }

    int size() {
        return program.size();
    }

    /// As `struct sock_fprog`, in memory of the arena.
    MemorySegment in(Arena arena) {
        MemorySegment header = arena.allocate(HEADER_BYTES, 8);
        header.set(ValueLayout.JAVA_SHORT, 0, (short) size());
        header.set(ValueLayout.JAVA_LONG, 8, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes()).address());
        return header;
    }

    /// As `struct sock_filter[]`.
    byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(program.size() * INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());
        for (Instruction one : program) {
            bytes.putShort((short) one.code()).put((byte) one.ifTrue()).put((byte) one.ifFalse()).putInt(one.value());
        }
        return bytes.array();
    }
}
