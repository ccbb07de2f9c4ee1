package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Feeds mutations of valid packets to both parsers. They throw only the declared exception, and what they accept can
/// be written again. `-Dbelay.fuzz=N` sets the number of inputs, `-Dbelay.seed=N` repeats a run.
class ParserFuzzTest {
    private static final List<String> PACKETS = List.of("0", "0{\"token\":\"123\"}",
            "0/admin,{\"a\":[1,2.5,-3e7,null,true]}", "1", "1/admin,", "2[\"foo\"]",
            "212[\"foo\",{\"a\":\"\\u20ac\"}]", "2/admin,7[\"x\",[[[]]],\"\"]", "3/admin,13[\"bar\"]", "30[]",
            "4{\"message\":\"no\"}",
            "51-[\"baz\",{\"_placeholder\":true,\"num\":0}]",
            "52-/admin,9[\"baz\",{\"a\":{\"_placeholder\":true,\"num\":1}},[{\"_placeholder\":true,\"num\":0}]]",
            "61-15[\"bar\",{\"_placeholder\":true,\"num\":0}]", "50-[\"x\"]");
    private static final String ALPHABET = "0123456789-/,[]{}\":\\tfnu_e.+\u001eb=A\u0000 é€\ud83d\ude00\ud800";
    private static final int LIMIT = 10_000;

    private long packets;
    private long refused;

    @Test
    void anyInputIsAPacketOrRefused() {
        int count = Integer.getInteger("belay.fuzz", 100_000);
        long seed = Long.getLong("belay.seed", System.nanoTime());
        System.out.println("fuzzing both parsers with " + count + " inputs, -Dbelay.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Decoder decoder = new Decoder(LIMIT);
        for (int i = 0; i < count; i++) {
            String input = mutate(PACKETS.get(random.nextInt(PACKETS.size())), random);
            try {
                if (random.nextInt(4) == 0) {
                    payload(input, random);
                } else {
                    accept(decoder.text(input));
                    for (int more = random.nextInt(3); more > 0; more--) {
                        accept(decoder.binary(new byte[random.nextInt(100)]));
                    }
                }
            } catch (MalformedPacketException _) {
                refused++;
                decoder = new Decoder(LIMIT); // because the connection would end
            } catch (RuntimeException | Error e) {
                throw new AssertionError("input " + i + " with -Dbelay.seed=" + seed + ": " + input, e);
            }
        }
        System.out.println("accepted " + packets + " packets, refused " + refused);
        assertThat(packets).isGreaterThan(count / 100);
        assertThat(refused).isGreaterThan(count / 10);
    }

    /// Writes an accepted packet as valid UTF-8 and reads it back unchanged.
    private void accept(SocketPacket packet) throws MalformedPacketException {
        if (packet == null) {
            return;
        }
        packets++;
        if (packet.type() == SocketPacket.Type.CONNECT || packet.type() == SocketPacket.Type.DISCONNECT) {
            return;
        }
        Message written = encode(packet);
        if (written.frames().size() - 1 <= Decoder.MAX_ATTACHMENTS) {
            SocketPacket read = decode(written);
            assertThat(text(encode(read))).isEqualTo(text(written));
            assertThat(read.namespace()).isEqualTo(packet.namespace());
            assertThat(read.id()).isEqualTo(packet.id());
        }
    }

    private static Message encode(SocketPacket packet) {
        List<?> data = List.copyOf(packet.data().values());
        boolean event = packet.type() == SocketPacket.Type.EVENT || packet.type() == SocketPacket.Type.BINARY_EVENT;
        return event
                ? Encoder.event(packet.namespace(), packet.id(), data)
                : Encoder.ack(packet.namespace(), packet.id(), data);
    }

    private static SocketPacket decode(Message message) throws MalformedPacketException {
        Decoder decoder = new Decoder(Integer.MAX_VALUE);
        SocketPacket packet = decoder.text(text(message).substring(1));
        for (Frame attachment : message.frames().subList(1, message.frames().size())) {
            byte[] bytes = new byte[attachment.size()];
            attachment.bytes().duplicate().get(bytes);
            packet = decoder.binary(bytes);
        }
        return packet;
    }

    private static String text(Message message) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(message.frames().get(0).bytes().duplicate()).toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("not UTF-8", e);
        }
    }

    private void payload(String input, SplittableRandom random) throws MalformedPacketException {
        byte[] body = ("4" + input + "\u001eb" + input).getBytes(StandardCharsets.UTF_8);
        if (random.nextBoolean()) {
            body[random.nextInt(body.length)] = (byte) random.nextInt();
        }
        Payload payload = Payload.of(body);
        List<String> texts = new ArrayList<>();
        int parts = 0;
        while (payload.hasNext()) {
            payload.next(packet -> texts.add(packet.data()), bytes -> texts.add(String.valueOf(bytes.length)));
            parts++;
        }
        packets++;
        assertThat(texts).hasSize(parts).hasSizeLessThanOrEqualTo(body.length);
    }

    private static String mutate(String packet, SplittableRandom random) {
        StringBuilder text = new StringBuilder(packet);
        for (int n = random.nextInt(4); n > 0; n--) {
            int at = text.isEmpty() ? 0 : random.nextInt(text.length());
            char letter = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            switch (random.nextInt(7)) {
                case 0 -> text.insert(at, letter);
                case 1 -> {
                    if (!text.isEmpty()) {
                        text.setCharAt(at, letter);
                    }
                }
                case 2 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(3)));
                case 3 -> text.setLength(at);
                case 4 -> text.insert(at, String.valueOf(letter).repeat(random.nextInt(2000)));
                case 5 -> text.insert(at, text.substring(at));
                default -> text.append(PACKETS.get(random.nextInt(PACKETS.size())));
            }
        }
        // The transports have already checked that it is UTF-8.
        return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
