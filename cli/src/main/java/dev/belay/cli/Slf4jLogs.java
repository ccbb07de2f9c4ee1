package dev.belay.cli;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/// Forwards warnings and errors that libraries log through SLF4J to the loggers of Belay's own modules.
public final class Slf4jLogs implements SLF4JServiceProvider {
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return Forwarding::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    /// One logger.
    private static final class Forwarding extends LegacyAbstractLogger {
        @Serial
        private static final long serialVersionUID = 1;

        Forwarding(String name) {
            this.name = name;
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                @Nullable String pattern,
                @Nullable Object @Nullable [] arguments,
                @Nullable Throwable cause) {
            String text = String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments));
            System.getLogger(name).log(
                    level == Level.ERROR ? System.Logger.Level.ERROR : System.Logger.Level.WARNING, text, cause);
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }
}
