package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Guard;
import dev.belay.Isolation;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// For tests of sandboxes by Landlock: on a kernel that does not have enough of it, they show the refusal.
final class LandlockOrRefusal implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        if (Machine.landlockAbi() >= Landlock.LEAST_ABI) {
            test.proceed();
            return;
        }
        test.skip();
        Rooms rooms = new Rooms(
                Path.of("/srv/anything"), Sandboxes.root() ? "nobody" : null, List.of(Rooms.LANDLOCK));
        Guard guard = Guard.NONE.isolation(Isolation.SANDBOX);
        assertThatThrownBy(() -> rooms.require(guard, List.of(), _ -> "")).hasMessageContaining("Linux 6.12");
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        interceptTestMethod(test, method, context);
    }
}
