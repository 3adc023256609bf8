package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

public final class Shop {
    private final List<Product> products = new ArrayList<>();
    private final Clock clock;

    public Shop(Clock clock) {
        this.clock = clock;
    }

    public Optional<Product> find(String name) {
        for (Product product : products) {
            if (product.name().equals(name)) {
                return Optional.of(product);
            }
        }
        return Optional.empty();
    }

    public int total(List<Line> lines) {
        int sum = 0;
        for (Line line : lines) {
            Product product = find(line.name())
                .orElseThrow(() -> new IllegalArgumentException(line.name()));
            if (product.isReduced(clock.today())) {
                sum += line.count() * product.reducedPrice();
            } else {
                sum += line.count() * product.price();
            }
        }
        return sum;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Product product : products) {
            text.append(product.name());
            text.append(": ");
            text.append(product.price());
            text.append("\n");
        }
        return text.toString();
    }
}
