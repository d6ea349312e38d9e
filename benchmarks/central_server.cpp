// The closed central-server network of central_server.py, the same design in C++:
// one alarm an actor in a tournament tree, queues as linked lists, the same records
// and handlers. Generators: xoshiro256++, one for each purpose, inlined; exponential
// draws by a ziggurat of 256 layers (Marsaglia and Tsang), the method NumPy uses.
// NumPy's PCG64 costs more a draw, so this side has the faster generator.
//
// The climb's test is spelt as g++ compiles it best, and so is the one in alarms.py for
// Numba; this program is compiled by g++ -O3 -march=native.
//
// Arguments: seed, events before measuring, events measured; then a number of actors, if
// alarms alone are asked for: each actor that comes up sets its next alarm, as in actors.py.
// Prints: seconds taken, then simulated time, CPU services, responses and their sum,
// all over the measured events; of alarms alone the seconds and the simulated time.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

constexpr int64_t CUSTOMERS = 50, CPU = 0, FIRST_DISC = 1, DISCS = 3;
constexpr int64_t FIRST_CUSTOMER = FIRST_DISC + DISCS, TO_THINK = -1;
constexpr double THINK_S = 5.0, CPU_S = 0.010, DISC_S = 0.040, P_THINK = 0.05;
constexpr double NEVER = std::numeric_limits<double>::infinity();

struct Ziggurat {
    static constexpr double EDGE = 7.69711747013104972, AREA = 0.0039496598225815571993;
    uint64_t inside[256];
    double width[256], height[256];
    Ziggurat() {
        const double scale = 9007199254740992.0;  // 2^53
        double x = EDGE, below = EDGE;
        const double base = AREA / std::exp(-EDGE);
        inside[0] = uint64_t(EDGE / base * scale);
        inside[1] = 0;
        width[0] = base / scale;
        width[255] = EDGE / scale;
        height[0] = 1.0;
        height[255] = std::exp(-EDGE);
        for (int i = 254; i >= 1; i--) {
            x = -std::log(AREA / x + std::exp(-x));
            inside[i + 1] = uint64_t(x / below * scale);
            below = x;
            width[i] = x / scale;
            height[i] = std::exp(-x);
        }
    }
};
static const Ziggurat zig;

struct Generator {
    uint64_t s[4];
    explicit Generator(uint64_t seed) {
        for (auto &word : s) {  // splitmix64
            uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            word = z ^ (z >> 31);
        }
    }
    static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    uint64_t next() {
        const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = rotate(s[3], 45);
        return result;
    }
    double uniform() { return double(next() >> 11) * 0x1.0p-53; }
    double exponential() {
        for (;;) {
            const uint64_t bits = next() >> 3;
            const int layer = int(bits & 255);
            const uint64_t r = bits >> 8;
            const double x = double(r) * zig.width[layer];
            if (r < zig.inside[layer]) return x;
            if (layer == 0) return Ziggurat::EDGE - std::log1p(-uniform());
            const double below = zig.height[layer], above = zig.height[layer - 1];
            const double y = below + uniform() * (above - below);
            if (y < std::exp(-x)) return x;
        }
    }
};

struct Alarms {
    int64_t leaves = 2;
    std::vector<double> time;
    std::vector<int64_t> winner;
    explicit Alarms(int64_t actors) {
        while (leaves < actors) leaves *= 2;
        time.assign(leaves, NEVER);
        winner.assign(2 * leaves, 0);
        for (int64_t a = 0; a < leaves; a++) winner[leaves + a] = a;
        for (int64_t node = leaves - 1; node > 0; node--) winner[node] = winner[2 * node];
    }
    void set(int64_t actor, double when) {
        time[actor] = when;
        int64_t best = actor, node = leaves + actor;
        double best_time = when;
        while (node > 1) {
            const int64_t rival = winner[node ^ 1];
            const double rival_time = time[rival];
            if (rival_time < best_time || (rival_time == best_time && rival < best)) {
                best = rival;
                best_time = rival_time;
            }
            node >>= 1;
            if (winner[node] == best && best != actor) return;
            winner[node] = best;
        }
    }
    int64_t next() const { return winner[1]; }
};

struct Station {
    int64_t length = 0, first = 0, last = 0, served = 0;
};

struct Customer {
    int64_t behind = 0;
    double submitted_s = 0.0;
};

struct Network {
    Alarms alarms{FIRST_CUSTOMER + CUSTOMERS};
    std::vector<Station> stations{size_t(FIRST_CUSTOMER)};
    std::vector<Customer> customers{size_t(CUSTOMERS)};
    double now_s = 0.0, response_s = 0.0;
    int64_t responses = 0;
    Generator think_rng, cpu_rng, disc_rng, route_rng;

    explicit Network(uint64_t seed)
        : think_rng(4 * seed),
          cpu_rng(4 * seed + 1),
          disc_rng(4 * seed + 2),
          route_rng(4 * seed + 3) {
        for (int64_t c = 0; c < CUSTOMERS; c++) think(c);
    }
    void think(int64_t customer) {
        alarms.set(FIRST_CUSTOMER + customer, now_s + THINK_S * think_rng.exponential());
    }
    void serve(int64_t station) {
        const double service_s =
            station == CPU ? CPU_S * cpu_rng.exponential() : DISC_S * disc_rng.exponential();
        alarms.set(station, now_s + service_s);
    }
    void join(int64_t station, int64_t customer) {
        Station &queue = stations[station];
        if (queue.length == 0) {
            queue.first = customer;
            serve(station);
        } else {
            customers[queue.last].behind = customer;
        }
        queue.last = customer;
        queue.length++;
    }
    int64_t leave(int64_t station) {
        Station &queue = stations[station];
        const int64_t customer = queue.first;
        queue.length--;
        queue.served++;
        if (queue.length > 0) {
            queue.first = customers[customer].behind;
            serve(station);
        } else {
            alarms.set(station, NEVER);
        }
        return customer;
    }
    int64_t route(double u) const {
        if (u < P_THINK) return TO_THINK;
        return FIRST_DISC + int64_t((u - P_THINK) * (DISCS / (1.0 - P_THINK)));
    }
    void thinking_ends(int64_t customer) {
        alarms.set(FIRST_CUSTOMER + customer, NEVER);
        customers[customer].submitted_s = now_s;
        join(CPU, customer);
    }
    void cpu_ends(int64_t target) {
        const int64_t customer = leave(CPU);
        if (target == TO_THINK) {
            responses++;
            response_s += now_s - customers[customer].submitted_s;
            think(customer);
        } else {
            join(target, customer);
        }
    }
    void disc_ends(int64_t station) { join(CPU, leave(station)); }
    void run(int64_t events) {
        for (int64_t i = 0; i < events; i++) {
            const int64_t actor = alarms.next();
            now_s = alarms.time[actor];
            if (actor == CPU) {
                cpu_ends(route(route_rng.uniform()));
            } else if (actor < FIRST_CUSTOMER) {
                disc_ends(actor);
            } else {
                thinking_ends(actor - FIRST_CUSTOMER);
            }
        }
    }
};

void hold(Alarms &alarms, Generator &rng, int64_t events) {
    for (int64_t i = 0; i < events; i++) {
        const int64_t actor = alarms.next();
        alarms.set(actor, alarms.time[actor] + rng.exponential());
    }
}

int time_alarms(char **argv) {
    Alarms alarms(std::atoll(argv[4]));
    Generator rng(std::strtoull(argv[1], nullptr, 10));
    for (int64_t a = 0; a < std::atoll(argv[4]); a++) alarms.set(a, rng.exponential());
    hold(alarms, rng, std::atoll(argv[2]));
    const double now_s = alarms.time[alarms.next()];
    const auto start = std::chrono::steady_clock::now();
    hold(alarms, rng, std::atoll(argv[3]));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %.17g\n", taken.count(), alarms.time[alarms.next()] - now_s);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5) return time_alarms(argv);
    if (argc != 4) return 2;
    Network network(std::strtoull(argv[1], nullptr, 10));
    network.run(std::atoll(argv[2]));
    const double now_s = network.now_s, response_s = network.response_s;
    const int64_t served = network.stations[CPU].served, responses = network.responses;
    const auto start = std::chrono::steady_clock::now();
    network.run(std::atoll(argv[3]));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %.17g %lld %lld %.17g\n", taken.count(), network.now_s - now_s,
                (long long)(network.stations[CPU].served - served),
                (long long)(network.responses - responses), network.response_s - response_s);
}
